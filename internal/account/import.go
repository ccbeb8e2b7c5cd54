package account

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/textinput"
)

// MaxImport is how many people one file may hold.
const MaxImport = 5000

// importBatch is how many accounts one transaction adds; other changes of accounts wait for it.
const importBatch = 100

// RowResult is the result of one row of an import.
type RowResult string

// The outcomes.
const (
	WasCreated   RowResult = "created" // in a dry run: it would be
	WasUnchanged RowResult = "unchanged"
	HasFailed    RowResult = "failed"
	IsLeft       RowResult = "left" // not created: others failed, or the limit was reached
)

// ImportRequest is a file of people and how to import it.
type ImportRequest struct {
	File   []byte
	DryRun bool
	Invite bool // make the invitation of each account
	Limit  int  // add at most this many; zero: all
}

// Import is the result of an import or a dry run.
type Import struct {
	DryRun                           bool
	Created, Unchanged, Failed, Left int
	Rows                             []ImportedRow // as in the file
}

// ImportedRow is the result of one row.
type ImportedRow struct {
	Line     int
	Username string
	Name     string
	Email    string
	UPN, SID string
	// Role and Organization are those of the account, or as written in the file if invalid.
	Role         access.Role
	Organization string
	Outcome      RowResult
	Errors       []fault.Field // why it failed
	Invited      *Invited      // of a created account, if requested
}

// Addition is an account to add, with its entry and its invitation.
type Addition struct {
	User    User
	Entry   audit.Entry
	Invite  *Invitation // nil: none
	Invited audit.Entry // of the invitation, with the message to the account
}

// Import creates accounts from a CSV file, by the rules of Create and Invite. A failing
// row does not stop the others. It never changes an existing account: a row that agrees
// with it is unchanged, any other fails. So importing the same file again, also after an
// interruption, does the rest.
func (s *Users) Import(ctx context.Context, a access.Actor, scope access.Scope, in ImportRequest) (Import, error) {
	if in.Invite {
		if _, err := access.Can(a, "invite-user"); err != nil {
			return Import{}, err
		}
	}
	rows, err := importFormat.Parse(in.File)
	if err != nil {
		return Import{}, err
	}
	im := &importing{Users: s, actor: a, scope: scope, invite: in.Invite, homes: map[home]placed{}}
	if err := im.plan(ctx, rows); err != nil {
		return Import{}, err
	}
	todo := im.todo()
	if len(todo) > 0 && s.Grows != nil {
		if err := s.Grows(ctx); err != nil {
			return Import{}, err
		}
	}
	if !in.DryRun {
		if err := im.create(ctx, todo, in.Limit); err != nil {
			return Import{}, err
		}
	}
	return im.result(in.DryRun), nil
}

// importing is an import in progress.
type importing struct {
	*Users
	actor  access.Actor
	scope  access.Scope
	invite bool
	rows   []*planned
	homes  map[home]placed
	beyond []string // names of accounts outside the scope
}

// planned is a row and its planned outcome.
type planned struct {
	line    int
	in      NewUser
	home    string // the organization as the row names it
	said    access.Role
	derived bool // the username was made by shortening the email
	outcome RowResult
	bad     []fault.Field
	invited *Invited
}

func (p *planned) fail(bad ...fault.Field) {
	if len(bad) > 0 {
		p.outcome = HasFailed
		p.bad = append(p.bad, bad...)
	}
}

// todo returns the accounts to create.
func (im *importing) todo() []*planned {
	return slices.DeleteFunc(slices.Clone(im.rows), func(p *planned) bool { return p.outcome != WasCreated })
}

func (im *importing) result(dryRun bool) Import {
	out := Import{DryRun: dryRun, Rows: make([]ImportedRow, len(im.rows))}
	for i, p := range im.rows {
		out.Rows[i] = ImportedRow{
			Line: p.line, Username: p.in.Username, Name: p.in.Name, Email: p.in.Email, UPN: p.in.UPN, SID: p.in.SID, Role: p.in.Role,
			Organization: cmp.Or(im.homes[p.at()].name, p.home), Outcome: p.outcome, Errors: p.bad, Invited: p.invited,
		}
		switch p.outcome {
		case WasCreated:
			out.Created++
		case WasUnchanged:
			out.Unchanged++
		case IsLeft:
			out.Left++
		default:
			out.Failed++
		}
	}
	return out
}

// create creates the accounts, at most limit.
func (im *importing) create(ctx context.Context, todo []*planned, limit int) error {
	for _, p := range im.rows {
		if p.outcome == WasCreated {
			p.outcome = IsLeft
		}
	}
	if limit > 0 && len(todo) > limit {
		todo = todo[:limit]
	}
	var leading []string
	if im.invite && len(todo) > 0 {
		leading = append(leading, "invite")
	}
	for _, p := range todo {
		leading = append(leading, p.in.leading(p.in.Role)...)
	}
	if len(leading) > 0 {
		if err := access.CheckEffects(ctx, im.Now(), leading...); err != nil {
			return err
		}
		ctx = access.DemandRecent(ctx)
	}
	for i := 0; i < len(todo); i += importBatch {
		err := im.add(ctx, todo[i:min(i+importBatch, len(todo))])
		if err != nil && i > 0 {
			return nil // keep the links of earlier batches, shown only this once; the next request meets the error again
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add creates the accounts of a batch in one transaction, except those that are refused
// because of changes since the plan was made.
func (im *importing) add(ctx context.Context, batch []*planned) error {
	batch = slices.Clone(batch)
	list, invited := make([]Addition, len(batch)), make([]*Invited, len(batch))
	for i, p := range batch {
		var err error
		if list[i], invited[i], err = im.addition(ctx, p); err != nil {
			return err
		}
	}
	for len(list) > 0 {
		failed, err := im.Store.AddUsers(ctx, list)
		f, ok := fault.As(err)
		if ok && failed >= 0 && (f.Code == fault.Conflict || f.Code == fault.InvalidRequest) && len(f.Fields) > 0 {
			batch[failed].fail(ofColumns(f.Fields)...)
			batch, list = slices.Delete(batch, failed, failed+1), slices.Delete(list, failed, failed+1)
			invited = slices.Delete(invited, failed, failed+1)
			continue
		}
		if err != nil {
			return err
		}
		break
	}
	for i, p := range batch {
		p.outcome, p.invited = WasCreated, invited[i]
	}
	return nil
}

func (im *importing) addition(ctx context.Context, p *planned) (Addition, *Invited, error) {
	now, in := im.Now(), p.in
	u := User{
		Username: in.Username, Name: in.Name, Email: in.Email, UPN: in.UPN, SID: in.SID, Role: in.Role, OrganizationID: in.OrganizationID,
		OrganizationName: im.homes[p.at()].name, IsActive: true, AuthSource: Local, CreatedAt: now, UpdatedAt: now, PasswordChangedAt: now,
	}
	details := fmt.Sprintf("username %s, role %s%s, imported, waits for its invitation", u.Username, u.Role, u.directoryNames())
	add := Addition{User: u, Entry: audit.By(im.actor, audit.UserCreated, "user", "", details).In(u.OrganizationID)}
	if !im.invite {
		return add, nil, nil
	}
	mailID, token, err := im.invitation(ctx)
	if err != nil {
		return Addition{}, nil, err
	}
	made := Invited{Token: token, ExpiresAt: now.Add(InvitationFor)}
	add.Invite = &Invitation{Hash: token.Hash(), ExpiresAt: made.ExpiresAt}
	add.Invited, made.Mailed = invitedEntry(im.actor, u, mailID, made.ExpiresAt, now)
	return add, &made, nil
}

// ofColumns renames the fields of an account to the columns of a file.
func ofColumns(fields []fault.Field) []fault.Field {
	out := make([]fault.Field, len(fields))
	for i, f := range fields {
		f.Field = strings.TrimSuffix(f.Field, "_id")
		out[i] = f
	}
	return out
}

// home is where a row places an account.
type home struct {
	organization string // folded
	role         access.Role
}

// at treats a row without a valid role as a user's.
func (p *planned) at() home {
	role := p.in.Role
	if !role.Valid() {
		role = access.User
	}
	return home{textinput.Fold(p.home), role}
}

// placed is the result of looking up a home.
type placed struct {
	organization *Organization // nil: none
	name         string
	bad          []fault.Field
}
