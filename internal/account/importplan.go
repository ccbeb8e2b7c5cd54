package account

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/csvrows"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/textinput"
)

// Columns of an import file (POST /api/admin/users/import).
const (
	columnUsername = iota
	columnName
	columnEmail
	columnRole
	columnOrganization
	columnUPN
	columnSID
)

var importFormat = csvrows.Format{
	Columns: []string{"username", "name", "email", "role", "organization", "upn", "sid"}, Needs: []string{"email"}, Max: MaxImport,
}

// Login is the owner of a username or an email.
type Login struct {
	User User
	// ReservedUntil is set while the name is only reserved, for its former holder.
	ReservedUntil *time.Time
}

// plan decides the outcome of each row. Nothing is written.
func (im *importing) plan(ctx context.Context, rows []csvrows.Row) error {
	lines := make(map[string]int, 2*len(rows)) // by name, folded
	names := make([]string, 0, 2*len(rows))
	var ofDirectory []string
	for _, row := range rows {
		p := &planned{line: row.Line, outcome: WasCreated}
		im.rows = append(im.rows, p)
		p.fail(row.Bad...)
		im.read(p, row.Cells)
		if err := im.place(ctx, p); err != nil {
			return err
		}
		if len(row.Bad) > 0 {
			continue // its cells may belong to other columns
		}
		once := func(field, key string) {
			if first, twice := lines[key]; twice && first != p.line {
				p.fail(fault.Wrongf(field, "repeated", "is already in line {line}", fault.Params{"line": first}))
			}
			lines[key] = p.line
		}
		for _, n := range [][2]string{{"username", p.in.Username}, {"email", p.in.Email}} {
			if key := textinput.Fold(n[1]); key != "" {
				once(n[0], key)
				names = append(names, key)
			}
		}
		for _, key := range directoryKeys(p.in.UPN, p.in.SID) {
			once(key[:len("upn")], key)
			ofDirectory = append(ofDirectory, key)
		}
	}
	logins, err := im.Store.LoginsAmong(ctx, names, im.Now())
	if err != nil {
		return err
	}
	held, err := im.Store.DirectoryNamesAmong(ctx, ofDirectory, im.Now())
	if err != nil {
		return err
	}
	for _, p := range im.rows {
		im.settle(p, logins, held)
	}
	slices.Sort(im.beyond)
	return im.Denials.Beyond(ctx, im.actor, "import-users", "user", slices.Compact(im.beyond)...)
}

// read turns a row into an account, and finds what Create would refuse about it alone.
func (im *importing) read(p *planned, cells []string) {
	p.said = access.Role(cells[columnRole])
	p.in = NewUser{Username: cells[columnUsername], Name: cleanName(cells[columnName]), Email: cells[columnEmail], Role: p.said,
		UPN: cells[columnUPN], SID: cells[columnSID]}
	p.home = cells[columnOrganization]
	if p.in.Username == "" {
		p.in.Username = usernameOf(p.in.Email)
		p.derived = p.in.Username != p.in.Email
	}
	role, bad := resolveRole(p.in)
	p.in.Role = role
	p.fail(append(bad, checkNames(p.in)...)...)
	p.fail(checkDirectory(&p.in.UPN, &p.in.SID)...)
	if im.actor.APIKeyID != 0 {
		for _, key := range directoryKeys(p.in.UPN, p.in.SID) {
			p.fail(fault.Wrong(key[:len("upn")], "no_name_by_key", "can't be set by an API key; sign in as a person"))
		}
	}
	switch {
	case im.actor.APIKeyID != 0 && role != access.User:
		p.fail(fault.Wrong("role", "no_role_by_key", "can only be user when an API key creates the account"))
	case role == access.GlobalAdmin && im.scope.Reach != access.Everything:
		p.fail(fault.Wrong("role", "global_admin_needed", "can only be given by a global administrator"))
	}
}

// place finds the organization of a row, looking each up once.
func (im *importing) place(ctx context.Context, p *planned) error {
	at := p.at()
	found, ok := im.homes[at]
	if !ok {
		var err error
		if found, err = im.find(ctx, p.home, at.role); err != nil {
			return err
		}
		im.homes[at] = found
	}
	p.fail(found.bad...)
	if o := found.organization; o != nil {
		p.in.OrganizationID = &o.ID
		if validEmail(p.in.Email) && !o.Accepts(p.in.Email) {
			p.fail(EmailOutside)
		}
	}
	f, forbidden := fault.As(mayName(im.scope, found.organization, User{}, User{UPN: p.in.UPN, SID: p.in.SID}))
	if forbidden && len(found.bad) == 0 {
		p.fail(slices.DeleteFunc(slices.Clone(f.Fields), func(one fault.Field) bool {
			return slices.ContainsFunc(p.bad, func(known fault.Field) bool { return known.Field == one.Field })
		})...)
	}
	return nil
}

func (im *importing) find(ctx context.Context, name string, role access.Role) (found placed, err error) {
	var id *int64
	if name != "" {
		o, err := im.Store.OrganizationByName(ctx, im.scope, name)
		if fault.Is(err, fault.NotFound) {
			return placed{bad: []fault.Field{UnknownOrganization("organization")}}, nil
		}
		if err != nil {
			return placed{}, err
		}
		id = &o.ID
	}
	found.organization, err = HomeOrganization(ctx, im.Organizations, im.actor, im.scope, role, id)
	if f, ok := fault.As(err); ok && f.Code == fault.InvalidRequest {
		return placed{bad: ofColumns(f.Fields)}, nil
	}
	if found.organization != nil {
		found.name = found.organization.Name
	}
	return found, err
}

// settle decides on a row once the owners of its names are known.
func (im *importing) settle(p *planned, logins, held map[string]Login) {
	byUsername, taken := logins[textinput.Fold(p.in.Username)]
	byEmail, known := logins[textinput.Fold(p.in.Email)]
	if p.derived && known && strings.EqualFold(byEmail.User.Username, p.in.Email) { // from before usernames were that short
		byUsername, taken = byEmail, true
	}
	if p.in.Email == "" {
		return
	}
	u := byUsername.User
	same := taken && known && u.ID == byEmail.User.ID && byUsername.ReservedUntil == nil && byEmail.ReservedUntil == nil
	if same && !beyond(im.scope, u) {
		p.compare(u)
		return
	}
	type owned struct {
		field string
		login Login
		taken bool
	}
	list := []owned{{"username", byUsername, taken}, {"email", byEmail, known}}
	for _, key := range directoryKeys(p.in.UPN, p.in.SID) {
		login, taken := held[key]
		list = append(list, owned{key[:len("upn")], login, taken})
	}
	for _, n := range list {
		if u := n.login.User; n.taken && beyond(im.scope, u) {
			im.beyond = append(im.beyond, p.name(n.field))
		}
		switch {
		case !n.taken:
		case n.login.ReservedUntil != nil:
			p.fail(fault.Wrong(n.field, "reserved_for_former", "is still reserved for its former owner"))
		default:
			p.fail(fault.Wrong(n.field, "of_another", "belongs to another account"))
		}
	}
}

func (p *planned) name(field string) string {
	switch field {
	case "email":
		return p.in.Email
	case "upn":
		return p.in.UPN
	case "sid":
		return p.in.SID
	}
	return p.in.Username
}

// compare checks a row against the existing account. An empty cell states nothing, so
// it cannot differ.
func (p *planned) compare(u User) {
	if p.outcome == HasFailed {
		return
	}
	p.outcome = WasUnchanged
	differs := func(column string, differs bool) {
		if differs {
			p.fail(fault.Wrong(column, "differs_account", "differs from the existing account; an import never changes accounts"))
		}
	}
	differs("name", p.in.Name != "" && p.in.Name != u.Name)
	differs("role", p.said != "" && p.said != u.Role)
	differs("upn", p.in.UPN != "" && !among([]string{u.UPN}, p.in.UPN))
	differs("sid", p.in.SID != "" && !among([]string{u.SID}, p.in.SID))
	differs("organization", p.home != "" && !access.SameID(p.in.OrganizationID, u.OrganizationID))
}
