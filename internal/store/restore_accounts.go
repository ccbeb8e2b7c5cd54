package store

import (
	"context"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/restore"
)

// same refuses contradictions: rows of one id that are not the same thing, or one thing under two
// ids.
func (r *restoring) same(ctx context.Context, table, condition string) error {
	// All of them: for only the first one, PostgreSQL would scan one table for each row of the
	// other.
	id, err := queryOne(ctx, r.sql, scanInt, r.text("SELECT COALESCE(min(b.id), 0) FROM {"+table+"} AS b JOIN "+table+" AS l ON "+condition))
	if err == nil && id > 0 {
		err = contradicts(table, id)
	}
	return err
}

// organizations on both sides get the backup's name, unless another has it by now.
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
	// One that keeps its name may keep another from getting its own.
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
	// Some may swap names: no real key has capital letters.
	if _, err := r.exec(ctx, `UPDATE organizations SET name_key = 'RENAMED ' || id WHERE id IN (SELECT n.id FROM renamed AS n)`); err != nil {
		return err
	}
	err = r.update(ctx, `UPDATE organizations SET updated_at = {at}, name = n.name, name_key = n.name_key
		FROM renamed AS n WHERE n.id = organizations.id`)
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
	return r.kept(ctx, restore.Organizations, `SELECT count(*) FROM {organizations} AS b JOIN organizations AS l ON l.id = b.id
		WHERE l.email_domains <> b.email_domains OR l.upn_suffixes <> b.upn_suffixes OR l.kerberos_realm <> b.kerberos_realm
			OR l.is_active <> b.is_active`)
}

// kept records how many of a kind differ from the backup and stay as they are.
func (r *restoring) kept(ctx context.Context, kind restore.Kept, count string) error {
	n, err := queryOne(ctx, r.sql, scanInt, r.text(count))
	if err == nil && n > 0 {
		r.report.Kept[kind] = n
	}
	return err
}

// users on both sides stay as they are. Those only in the backup come, disabled.
func (r *restoring) users(ctx context.Context) error {
	if err := r.stage(ctx, "users"); err != nil {
		return err
	}
	if err := r.same(ctx, "users", "l.id = b.id AND l.created_at <> b.created_at"); err != nil {
		return err
	}
	err := r.kept(ctx, restore.Accounts, `SELECT count(*) FROM {users} AS b JOIN users AS l ON l.id = b.id
		WHERE l.username <> b.username OR l.email <> b.email OR l.name <> b.name OR l.role <> b.role OR l.is_active <> b.is_active
			OR l.upn <> b.upn OR l.sid <> b.sid OR l.password_hash <> b.password_hash OR l.organization_id IS DISTINCT FROM b.organization_id`)
	if err != nil {
		return err
	}
	err = r.temporary(ctx, "arriving", `SELECT b.id, b.username, b.is_active AS listed FROM {users} AS b
		WHERE NOT EXISTS (SELECT 1 FROM users AS l WHERE l.id = b.id)`)
	if err != nil {
		return err
	}
	return r.insert(ctx, "users", map[string]string{
		"is_active": "FALSE", "disabled_by_recovery": "(b.disabled_by_recovery OR b.is_active)", "locked_until": "NULL", "updated_at": "{at}",
	}, "b.id IN (SELECT n.id FROM arriving AS n)")
}

func (r *restoring) logins(ctx context.Context) error { return r.names(ctx, "logins", "login_key") }

func (r *restoring) directoryNames(ctx context.Context) error {
	return r.names(ctx, "directory_names", "name_key")
}

// names are added for the accounts that come.
func (r *restoring) names(ctx context.Context, table, key string) error {
	if err := r.stage(ctx, table); err != nil {
		return err
	}
	taken, err := queryOne(ctx, r.sql, scanInt, r.text(`SELECT COALESCE(min(b.user_id), 0)
		FROM {`+table+`} AS b JOIN `+table+` AS l ON l.`+key+` = b.`+key+`
		WHERE b.user_id IN (SELECT n.id FROM arriving AS n) AND b.reserved_until IS NULL
			AND (l.reserved_until IS NULL OR l.reserved_until > {at})`))
	if err != nil {
		return err
	}
	if taken > 0 {
		return contradicts("users", taken)
	}
	const theirs = "b.user_id IN (SELECT n.id FROM arriving AS n)"
	if err := r.remove(ctx, `DELETE FROM `+table+` WHERE `+key+` IN
		(SELECT b.`+key+` FROM {`+table+`} AS b WHERE `+theirs+` AND b.reserved_until IS NULL)`); err != nil {
		return err
	}
	return r.insert(ctx, table, nil, theirs+` AND (b.reserved_until IS NULL OR (b.reserved_until > {at}
		AND NOT EXISTS (SELECT 1 FROM `+table+` AS l WHERE l.`+key+` = b.`+key+`)))`)
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
	if r.kind != restore.InUse {
		return nil
	}
	const listed = " FROM arriving AS a WHERE a.listed = TRUE"
	if r.report.AccountCount, err = queryOne(ctx, r.sql, scanInt, "SELECT count(*)"+listed); err != nil {
		return err
	}
	r.report.Accounts, err = queryAll(ctx, r.sql, func(row scanner) (a restore.Account, err error) {
		err = row.Scan(&a.ID, &a.Username)
		return a, err
	}, "SELECT a.id, a.username"+listed+" ORDER BY a.id LIMIT $1", restore.MaxAccounts)
	return err
}
