package store

import (
	"context"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/backup/union"
	"github.com/keyward/keyward/internal/fault"
)

// spare finds the administrator whose account stays as it is.
func (r *restoring) spare(ctx context.Context) error {
	if r.o.Spare == "" {
		return nil
	}
	id, err := r.q.LoginOwner(ctx, fold(r.o.Spare))
	if none(err) {
		return errNoSpare
	}
	if err != nil {
		return err
	}
	u, err := r.userByID(ctx, id)
	if err != nil {
		return err
	}
	if u.Role != access.GlobalAdmin || u.MaySignIn() != nil {
		return errNoSpare
	}
	r.spared = id
	return nil
}

// hold checks what must be true of accounts.
func (r *restoring) hold(ctx context.Context) error {
	admins, err := queryOne(ctx, r.sql, scanInt, "SELECT count(*) FROM users WHERE role = 'global_admin' AND is_active = TRUE")
	if err == nil && admins == 0 {
		err = errNoAdministrator
	}
	return err
}

// same refuses what the two sides disagree on: rows of one id that are not the same
// thing, or one thing under two ids.
func (r *restoring) same(ctx context.Context, table, condition string) error {
	// Of all: for a first one alone, PostgreSQL would look through one table for each row of
	// the other.
	id, err := queryOne(ctx, r.sql, scanInt, r.text("SELECT COALESCE(min(b.id), 0) FROM {"+table+"} AS b JOIN "+table+" AS l ON "+condition))
	if err == nil && id > 0 {
		err = contradicts(table, id)
	}
	return err
}

// organizations of both sides have the backup's name, unless another has it by now.
func (r *restoring) organizations(ctx context.Context) error {
	if err := r.stage(ctx, "organizations"); err != nil {
		return err
	}
	if err := r.same(ctx, "organizations", "l.id = b.id AND l.created_at <> b.created_at"); err != nil {
		return err
	}
	err := r.temporary(ctx, "renamed", `SELECT b.id, b.name, b.name_key FROM {organizations} AS b
		JOIN organizations AS l ON l.id = b.id AND l.name <> b.name`)
	if err != nil {
		return err
	}
	// Who keeps a name may keep another from its own.
	for {
		n, err := r.exec(ctx, `DELETE FROM renamed WHERE EXISTS (SELECT 1 FROM organizations AS o WHERE o.name_key = renamed.name_key
			AND o.id <> renamed.id AND NOT EXISTS (SELECT 1 FROM renamed AS a WHERE a.id = o.id))`)
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
		r.warn(fault.Sayf("organizations_keep_names",
			"{organizations} organizations keep their current name: another one now has the name in the backup.",
			fault.Params{"organizations": n}))
	}
	// Some may exchange their names: no key is of capital letters.
	if _, err := r.exec(ctx, `UPDATE organizations SET name_key = 'RENAMED ' || id WHERE id IN (SELECT n.id FROM renamed AS n)`); err != nil {
		return err
	}
	err = r.update(ctx, `UPDATE organizations SET updated_at = {at},
		name = COALESCE((SELECT n.name FROM renamed AS n WHERE n.id = organizations.id), organizations.name),
		name_key = COALESCE((SELECT n.name_key FROM renamed AS n WHERE n.id = organizations.id), organizations.name_key),
		is_active = (organizations.is_active AND b.is_active)
		FROM {organizations} AS b WHERE b.id = organizations.id
			AND (organizations.is_active <> (organizations.is_active AND b.is_active)
				OR organizations.id IN (SELECT n.id FROM renamed AS n))`)
	if err != nil {
		return err
	}
	if err := r.same(ctx, "organizations", "l.name_key = b.name_key AND l.id <> b.id AND NOT EXISTS "+
		"(SELECT 1 FROM organizations AS o WHERE o.id = b.id)"); err != nil {
		return err
	}
	if err := r.insert(ctx, "organizations", nil, "NOT EXISTS (SELECT 1 FROM organizations AS l WHERE l.id = b.id)"); err != nil {
		return err
	}
	return r.differ(ctx, `SELECT count(*) FROM {organizations} AS b JOIN organizations AS l ON l.id = b.id
		WHERE l.email_domains <> b.email_domains`, func(n int64) fault.Sentence {
		return fault.Sayf("organizations_keep_domains", "{organizations} organizations had other email domains: the current ones are kept.",
			fault.Params{"organizations": n})
	})
}

// differ warns of what has changed since the backup and stays.
func (r *restoring) differ(ctx context.Context, count string, warning func(n int64) fault.Sentence) error {
	n, err := queryOne(ctx, r.sql, scanInt, r.text(count))
	if err == nil && n > 0 {
		r.warn(warning(n))
	}
	return err
}

// users: what becomes of each stands in a table first.
func (r *restoring) users(ctx context.Context) error {
	if err := r.stage(ctx, "users"); err != nil {
		return err
	}
	if err := r.same(ctx, "users", "l.id = b.id AND l.created_at <> b.created_at"); err != nil {
		return err
	}
	// Of both: the lower role, which a manager without organization has as a user.
	err := r.temporary(ctx, "accounts", `SELECT l.id, l.username, l.is_active AS was_active, b.is_active AS backup_active,
		CASE WHEN `+rank("b")+` >= `+rank("l")+` THEN l.role
			WHEN b.role = 'org_manager' AND l.organization_id IS NULL THEN 'user' ELSE b.role END AS role,
		b.password_changed_at > l.password_changed_at AS newer,
		CASE WHEN l.is_active = FALSE THEN '`+string(union.Disabled)+`' WHEN b.is_active = FALSE THEN '`+string(union.Inactive)+`'
			WHEN `+rank("b")+` > `+rank("l")+` THEN '`+string(union.Demoted)+`'
			WHEN b.organization_id IS DISTINCT FROM l.organization_id THEN '`+string(union.Moved)+`' ELSE '' END AS why
		FROM users AS l JOIN {users} AS b ON b.id = l.id WHERE l.id <> {spared}`)
	if err != nil {
		return err
	}
	err = r.update(ctx, `UPDATE users SET updated_at = {at}, role = a.role,
		is_active = (users.is_active AND a.why = ''),
		disabled_by_recovery = (users.disabled_by_recovery OR (users.is_active AND a.why <> '')),
		password_hash = CASE WHEN a.newer THEN b.password_hash ELSE users.password_hash END,
		password_changed_at = CASE WHEN a.newer THEN b.password_changed_at ELSE users.password_changed_at END,
		must_change_password = (users.must_change_password OR (a.newer AND b.must_change_password))
		FROM accounts AS a JOIN {users} AS b ON b.id = a.id
		WHERE users.id = a.id AND ((users.is_active AND a.why <> '') OR a.role <> users.role OR a.newer)`)
	if err != nil {
		return err
	}
	err = r.differ(ctx, `SELECT count(*) FROM {users} AS b JOIN users AS l ON l.id = b.id
		WHERE l.username <> b.username OR l.email <> b.email`,
		func(n int64) fault.Sentence {
			return fault.Sayf("accounts_keep_names",
				"{accounts} accounts had another username or email address: the current ones are kept, because certificates have them.",
				fault.Params{"accounts": n})
		})
	if err != nil {
		return err
	}
	// Of the backup alone: disabled.
	err = r.temporary(ctx, "arriving", "SELECT b.id FROM {users} AS b WHERE NOT EXISTS (SELECT 1 FROM users AS l WHERE l.id = b.id)")
	if err != nil {
		return err
	}
	if _, err := r.exec(ctx, `INSERT INTO accounts (id, username, was_active, backup_active, role, newer, why)
		SELECT b.id, b.username, FALSE, b.is_active, b.role, FALSE, '`+string(union.Absent)+`' FROM {users} AS b
		WHERE b.id IN (SELECT n.id FROM arriving AS n)`); err != nil {
		return err
	}
	return r.insert(ctx, "users", map[string]string{
		"is_active": "FALSE", "disabled_by_recovery": "(b.disabled_by_recovery OR b.is_active)", "locked_until": "NULL", "updated_at": "{at}",
	}, "b.id IN (SELECT n.id FROM arriving AS n)")
}

func rank(of string) string {
	return "(CASE " + of + ".role WHEN 'global_admin' THEN 3 WHEN 'org_manager' THEN 2 WHEN 'user' THEN 1 ELSE 0 END)"
}

// logins are added for the accounts that come.
func (r *restoring) logins(ctx context.Context) error {
	if err := r.stage(ctx, "logins"); err != nil {
		return err
	}
	taken, err := queryOne(ctx, r.sql, scanInt, r.text(`SELECT COALESCE(min(b.user_id), 0)
		FROM {logins} AS b JOIN logins AS l ON l.login_key = b.login_key
		WHERE b.user_id IN (SELECT n.id FROM arriving AS n) AND b.reserved_until IS NULL
			AND (l.reserved_until IS NULL OR l.reserved_until > {at})`))
	if err != nil {
		return err
	}
	if taken > 0 {
		return contradicts("users", taken)
	}
	const theirs = "b.user_id IN (SELECT n.id FROM arriving AS n)"
	if err := r.remove(ctx, `DELETE FROM logins WHERE login_key IN
		(SELECT b.login_key FROM {logins} AS b WHERE `+theirs+` AND b.reserved_until IS NULL)`); err != nil {
		return err
	}
	return r.insert(ctx, "logins", nil, theirs+` AND (b.reserved_until IS NULL OR (b.reserved_until > {at}
		AND NOT EXISTS (SELECT 1 FROM logins AS l WHERE l.login_key = b.login_key)))`)
}

func (r *restoring) identities(ctx context.Context) error {
	if err := r.stage(ctx, "identities"); err != nil {
		return err
	}
	return r.insert(ctx, "identities", nil, `b.user_id IN (SELECT n.id FROM arriving AS n)
		AND NOT EXISTS (SELECT 1 FROM identities AS l WHERE l.issuer = b.issuer AND l.subject = b.subject)`)
}

func (r *restoring) paired(ctx context.Context) error {
	if err := r.stage(ctx, "paired_users"); err != nil {
		return err
	}
	return r.insert(ctx, "paired_users", nil, "NOT EXISTS (SELECT 1 FROM paired_users AS l WHERE l.user_id = b.user_id)")
}

func (r *restoring) families(ctx context.Context) error {
	return r.update(ctx, "UPDATE refresh_families SET revoked_at = {at} WHERE revoked_at IS NULL")
}

func (r *restoring) sessions(ctx context.Context) error {
	n, err := r.q.EndAllSessions(ctx, micros(r.o.At))
	r.table().Updated += n
	r.report.SessionsEnded = n
	return err
}

func emptied(table string) func(*restoring, context.Context) error {
	return func(r *restoring, ctx context.Context) error {
		return r.remove(ctx, "DELETE FROM "+quoted(table)+" WHERE TRUE")
	}
}

// keys are all revoked.
func (r *restoring) keys(ctx context.Context) error {
	if err := r.stage(ctx, "api_keys"); err != nil {
		return err
	}
	if err := r.distinct(ctx, "api_keys", "hash"); err != nil {
		return err
	}
	n, err := r.q.RevokeAllKeys(ctx, pointerTo(micros(r.o.At)))
	if err != nil {
		return err
	}
	r.table().Updated += n
	r.report.KeysRevoked = n
	return r.insert(ctx, "api_keys", map[string]string{"revoked_at": "COALESCE(b.revoked_at, {at})"},
		"NOT EXISTS (SELECT 1 FROM api_keys AS l WHERE l.id = b.id)")
}

// tell completes the report.
func (r *restoring) tell(ctx context.Context) error {
	unpublished, err := queryOne(ctx, r.sql, scanInt, `SELECT (SELECT count(*) FROM certificates WHERE status = 'revoked' AND published_at IS NULL)
		+ (SELECT count(*) FROM unrecorded_revocations WHERE published_at IS NULL)`)
	if err != nil {
		return err
	}
	r.report.Unpublished = unpublished
	if r.kind != union.Living {
		return nil
	}
	const listed = " FROM accounts AS a WHERE a.why <> '' AND (a.was_active OR a.backup_active)"
	if r.report.AccountCount, err = queryOne(ctx, r.sql, scanInt, "SELECT count(*)"+listed); err != nil {
		return err
	}
	r.report.Accounts, err = queryAll(ctx, r.sql, func(row scanner) (a union.Account, err error) {
		err = row.Scan(&a.ID, &a.Username, &a.Why)
		return a, err
	}, "SELECT a.id, a.username, a.why"+listed+" ORDER BY a.id LIMIT $1", union.MaxAccounts)
	return err
}
