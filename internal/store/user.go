package store

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// InsertUser implements account.UserStore.
func (db *DB) InsertUser(ctx context.Context, u account.User, entry audit.Entry) (account.User, error) {
	var stored account.User
	err := db.writeInTurn(ctx, "insert user", (*sqlcgen.Queries).LockAccounts, func(ctx context.Context, t *tx) (err error) {
		stored, err = t.addUser(ctx, u, entry)
		return err
	})
	if err != nil {
		return account.User{}, err
	}
	return stored, nil
}

// addUser needs the turn of accounts.
func (t *tx) addUser(ctx context.Context, u account.User, entry audit.Entry) (account.User, error) {
	if err := t.complete(ctx); err != nil {
		return account.User{}, err
	}
	if err := t.checkMember(ctx, u); err != nil {
		return account.User{}, err
	}
	id, err := t.q.InsertUser(ctx, userParams(u))
	if err != nil {
		return account.User{}, err
	}
	if err := t.claimLogins(ctx, id, u); err != nil {
		return account.User{}, err
	}
	if err := t.claimDirectory(ctx, id, u); err != nil {
		return account.User{}, err
	}
	stored, err := t.userByID(ctx, id)
	if err != nil {
		return account.User{}, err
	}
	if stored.Rules() {
		entry = entry.Notifying(account.AdminAdded(stored, entry))
	}
	return stored, t.audit(ctx, about([]audit.Entry{entry}, "user", audit.ID(id))...)
}

func userParams(u account.User) sqlcgen.InsertUserParams {
	return sqlcgen.InsertUserParams{
		Username: u.Username, UsernameKey: fold(u.Username), Email: u.Email, EmailKey: fold(u.Email),
		PasswordHash: u.PasswordHash, Role: string(u.Role), OrganizationID: u.OrganizationID, IsActive: u.IsActive,
		MustChangePassword: u.MustChangePassword, AuthSource: string(u.AuthSource), CreatedAt: micros(u.CreatedAt),
		UpdatedAt: micros(u.UpdatedAt), PasswordChangedAt: micros(u.PasswordChangedAt),
		LastLoginAt: microsOf(u.LastLoginAt), LockedUntil: microsOf(u.LockedUntil), Name: u.Name, NameKey: fold(u.Name),
		Upn: u.UPN, Sid: u.SID,
	}
}

const userColumns = `u.id, u.username, u.name, u.email, u.role, u.organization_id, u.is_active, u.must_change_password,
	u.auth_source, u.created_at, u.updated_at, u.password_changed_at, u.last_login_at, u.locked_until,
	u.disabled_by_recovery, u.language, u.mail_failed_at, u.mail_error, u.upn, u.sid, COALESCE(o.name, ''), o.is_active IS FALSE,
	u.password_hash`

const (
	userTable = " FROM users AS u"
	userJoin  = ` LEFT JOIN organizations AS o ON o.id = u.organization_id`
	userFrom  = userTable + userJoin
)

func scanUser(row scanner) (u account.User, err error) {
	var created, updated, changed int64
	var login, locked, failed *int64
	err = row.Scan(&u.ID, &u.Username, &u.Name, &u.Email, &u.Role, &u.OrganizationID, &u.IsActive, &u.MustChangePassword,
		&u.AuthSource, &created, &updated, &changed, &login, &locked, &u.DisabledByRecovery, &u.Language, &failed, &u.MailError,
		&u.UPN, &u.SID, &u.OrganizationName, &u.OrganizationDisabled, &u.PasswordHash)
	u.CreatedAt, u.UpdatedAt, u.PasswordChangedAt = moment(created), moment(updated), moment(changed)
	u.LastLoginAt, u.LockedUntil, u.MailFailedAt = momentOf(login), momentOf(locked), momentOf(failed)
	u.Waiting = u.AuthSource == account.Local && u.PasswordHash == ""
	return u, err
}

var noUser = fault.New(fault.NotFound, "no_user", "There is no such user.")

// User implements account.UserStore.
func (db *DB) User(ctx context.Context, scope access.Scope, id int64) (account.User, error) {
	w := &where{}
	w.equal("u.id", id)
	w.scope(scope, userScope, nil, nil, false)
	u, err := queryOne(ctx, db.read, scanUser, "SELECT "+userColumns+userFrom+w.String(), w.args...)
	if none(err) {
		err = noUser
	}
	return u, asFault("user", err)
}

// UserByLogin implements account.UserStore.
func (db *DB) UserByLogin(ctx context.Context, login string) (account.User, error) {
	id, err := db.q().LoginOwner(ctx, fold(login))
	return db.owner(ctx, "user by login", id, err)
}

// owner reads the account of a login or identity.
func (db *DB) owner(ctx context.Context, operation string, id int64, err error) (u account.User, _ error) {
	if err == nil {
		u, err = userByID(ctx, db.read, id)
	}
	if none(err) {
		err = noUser
	}
	return u, asFault(operation, err)
}

var (
	userScope = columns{"u.organization_id", "u.id"}
	userSorts = map[string]sortable{"username": textual("u.username_key"), "role": textual("u.role"), "created": asMade}
)

// ListUsers implements account.UserStore.
func (db *DB) ListUsers(ctx context.Context, scope access.Scope, f account.UserFilter, p page.Request) (page.Page[account.User], error) {
	w := &where{}
	locked := f.Locked != nil && *f.Locked // few, so that their index serves all organizations
	expiring := f.ExpiringDays > 0         // found by their certificates, which are few, too
	reach := w.scope(scope, userScope, nil, f.OrganizationID, !locked && !expiring)
	inactive := f.DisabledByRecovery || f.IsActive != nil && !*f.IsActive
	o, err := db.orderOf(userSorts, f.Sort, reach == access.Own || inactive || locked || expiring, p)
	if err != nil {
		return page.Page[account.User]{}, err
	}
	if name, _ := f.Sort.By(); name == "role" && f.Role != "" {
		o = o.among()
	}
	if f.Role != "" {
		w.text("u.role", string(f.Role), reach != access.Own && !inactive && !locked && !expiring && (o.column == "" || o.bare))
	}
	if inactive {
		w.is("u.is_active = FALSE") // literally, for the partial index
	}
	if f.IsActive != nil && *f.IsActive {
		w.is("u.is_active <> FALSE")
	}
	if f.DisabledByRecovery {
		w.is("u.disabled_by_recovery <> FALSE")
	}
	switch {
	case locked:
		w.is("u.locked_until IS NOT NULL") // literally, for the partial index
		w.compare("u.locked_until", ">", micros(f.Now))
	case f.Locked != nil:
		w.compare("COALESCE(u.locked_until, 0)", "<=", micros(f.Now))
	}
	userConditions(w, f)
	if f.Q != "" {
		w.contains(f.Q, "u.username_key", "u.email_key", "u.name_key")
	}
	list := listed[account.User]{"SELECT " + userColumns, userTable, userJoin, "u.id", scanUser, func(u account.User) int64 { return u.ID }}
	return list.sorted(ctx, db, "list users", w, o, userKey(f.Sort), p)
}

// userKey returns the value that a list is sorted by; nil if that is the id.
func userKey(s page.Sort) func(account.User) string {
	switch name, _ := s.By(); name {
	case "username":
		return func(u account.User) string { return fold(u.Username) }
	case "role":
		return func(u account.User) string { return string(u.Role) }
	case "created":
		return func(account.User) string { return "" }
	}
	return nil
}

// TokensOf implements account.UserStore.
func (db *DB) TokensOf(ctx context.Context, ids []int64) (map[int64]int64, error) {
	out := make(map[int64]int64, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	w := &where{}
	oneOf(w, "h.owner_id", ids)
	query := "SELECT h.owner_id, count(*) FROM hwkeys AS h" + w.String() + " GROUP BY h.owner_id"
	rows, err := queryAll(ctx, db.read, func(row scanner) (n [2]int64, err error) {
		err = row.Scan(&n[0], &n[1])
		return n, err
	}, query, w.args...)
	for _, n := range rows {
		out[n[0]] = n[1]
	}
	return out, asFault("tokens of accounts", err)
}

// CountUsers implements account.UserStore.
func (db *DB) CountUsers(ctx context.Context) (int64, error) {
	n, err := db.q().CountUsers(ctx)
	return n, asFault("count users", err)
}

// SetPassword implements account.UserStore.
func (db *DB) SetPassword(
	ctx context.Context, userID int64, hash string, was, at time.Time, ended audit.Entry, entries ...audit.Entry,
) error {
	return db.write(ctx, "set password", func(ctx context.Context, t *tx) error {
		n, err := t.q.SetPassword(ctx, sqlcgen.SetPasswordParams{PasswordHash: hash, Was: micros(was), At: micros(at), ID: userID})
		if err != nil {
			return err
		}
		if n == 0 {
			return t.passwordChanged(ctx, userID)
		}
		if err := t.audit(ctx, entries...); err != nil {
			return err
		}
		return t.signOutUser(ctx, userID, at, ended)
	})
}

// passwordChanged says why a password was not set.
func (t *tx) passwordChanged(ctx context.Context, userID int64) error {
	n, err := t.q.UserExists(ctx, userID)
	switch {
	case err != nil:
		return err
	case n == 0:
		return noUser
	}
	return fault.New(fault.InvalidCredentials, "password_changed", "The password has just been changed. Sign in with the new one.")
}

// checkMember is Invalid if the account's organization does not accept it.
func (t *tx) checkMember(ctx context.Context, u account.User) error {
	if u.OrganizationID == nil {
		return nil
	}
	o, err := queryOne(ctx, t.sql, scanOrganization, organizationColumns+organizationFrom+" WHERE o.id = $1", *u.OrganizationID)
	switch {
	case none(err):
		return fault.Invalid(account.UnknownOrganization("organization_id"))
	case err != nil:
		return err
	case !o.IsActive:
		return fault.Invalid(account.OrganizationDisabled)
	case !o.Accepts(u.Email):
		return fault.Invalid(account.EmailOutside)
	}
	return nil
}

// ReplaceHash implements account.UserStore.
func (db *DB) ReplaceHash(ctx context.Context, userID int64, old, hash string, entries ...audit.Entry) error {
	return db.write(ctx, "replace hash", func(ctx context.Context, t *tx) error {
		n, err := t.q.ReplaceHash(ctx, sqlcgen.ReplaceHashParams{Hash: hash, ID: userID, Old: old})
		if err != nil {
			return err
		}
		if n == 0 {
			return fault.New(fault.Conflict, "password_just_changed", "The password has just been changed. Reload the account.")
		}
		return t.audit(ctx, entries...)
	})
}

// lockOwner keeps an account unchanged until the commit. It comes before a token's lock, as in a
// change of the account.
func (t *tx) lockOwner(ctx context.Context, id *int64) error {
	if id == nil {
		return nil
	}
	_, err := t.q.LockUser(ctx, *id)
	return err
}

// checkOwner is Invalid for owner_id if there is no such user, and Conflict if the account is
// disabled or of another organization than the token: it changed since the caller saw it, and a
// token is in its owner's organization.
func (t *tx) checkOwner(ctx context.Context, id, organizationID *int64) error {
	if id == nil {
		return nil
	}
	u, err := t.userByID(ctx, *id)
	switch {
	case none(err):
		return fault.Invalid(fault.Wrong("owner_id", "unknown_user", "is not a user you manage"))
	case err != nil:
		return err
	case !u.IsActive || !access.SameID(u.OrganizationID, organizationID):
		return fault.New(fault.Conflict, "owner_account_changed", "The owner's account has just changed. Reload it.")
	}
	return nil
}
