package store

import (
	"context"
	"strings"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/restore"
)

// tokens on both sides get their description back; their owner and status are facts of today, as
// are their documents in the vault. A token that comes goes where its owner is.
func (r *restoring) tokens(ctx context.Context) error {
	if err := r.stage(ctx, "hwkeys"); err != nil {
		return err
	}
	if err := r.distinct(ctx, "hwkeys", "serial_key"); err != nil {
		return err
	}
	err := r.update(ctx, `UPDATE hwkeys SET label = b.label, label_key = b.label_key, model = b.model,
		firmware_version = b.firmware_version, form_factor = b.form_factor
		FROM {hwkeys} AS b WHERE b.id = hwkeys.id AND (hwkeys.label <> b.label OR hwkeys.model <> b.model
			OR hwkeys.firmware_version <> b.firmware_version OR hwkeys.form_factor <> b.form_factor)`)
	if err != nil {
		return err
	}
	err = r.kept(ctx, restore.Tokens, `SELECT count(*) FROM {hwkeys} AS b JOIN hwkeys AS l ON l.id = b.id
		WHERE l.status <> b.status OR l.owner_id IS DISTINCT FROM b.owner_id OR l.organization_id IS DISTINCT FROM b.organization_id`)
	if err != nil {
		return err
	}
	return r.insert(ctx, "hwkeys", map[string]string{
		"secrets_counter": "0", // unknown: the document is written afterwards
		"organization_id": "CASE WHEN b.owner_id IS NULL THEN b.organization_id ELSE " +
			"(SELECT u.organization_id FROM users AS u WHERE u.id = b.owner_id) END",
	}, "NOT EXISTS (SELECT 1 FROM hwkeys AS l WHERE l.id = b.id)")
}

// distinct refuses a key under two ids, and an id with two keys.
func (r *restoring) distinct(ctx context.Context, table, key string) error {
	if err := r.same(ctx, table, "l.id = b.id AND l."+key+" <> b."+key); err != nil {
		return err
	}
	return r.same(ctx, table, "l."+key+" = b."+key+" AND l.id <> b.id")
}

// Of two revocations of one certificate, the earlier time counts, and compromise is the reason that
// stays. What changes by it is published again. l is the table of the database in use.
const (
	laterThan = "b.revoked_at < l.revoked_at"
	worseThan = "(b.revocation_reason = 'keyCompromise' AND l.revocation_reason <> 'keyCompromise')"
)

// certificates: revoked wins.
func (r *restoring) certificates(ctx context.Context) error {
	if err := r.stage(ctx, "certificates"); err != nil {
		return err
	}
	if err := r.distinct(ctx, "certificates", "serial_number"); err != nil {
		return err
	}
	changes := "(b.status = 'revoked' AND (l.status <> 'revoked' OR " + laterThan + " OR " + worseThan + "))"
	err := r.update(ctx, strings.ReplaceAll(`UPDATE certificates SET
		status = CASE WHEN b.status = 'revoked' THEN b.status ELSE l.status END,
		revoked_at = CASE WHEN b.status = 'revoked' AND (l.revoked_at IS NULL OR `+laterThan+`) THEN b.revoked_at ELSE l.revoked_at END,
		revocation_reason = CASE WHEN b.status = 'revoked' AND (l.status <> 'revoked' OR `+worseThan+`)
			THEN b.revocation_reason ELSE l.revocation_reason END,
		published_at = CASE WHEN `+changes+` THEN NULL ELSE l.published_at END,
		live_key = CASE WHEN b.status = 'revoked' THEN NULL ELSE l.live_key END,
		installed_at = COALESCE(l.installed_at, b.installed_at)
		FROM {certificates} AS b WHERE b.id = l.id
			AND (`+changes+` OR (l.installed_at IS NULL AND b.installed_at IS NOT NULL))`, "l.", "certificates."))
	if err != nil {
		return err
	}
	return r.insert(ctx, "certificates", map[string]string{
		"published_at": "NULL",
		"live_key":     "CASE WHEN EXISTS (SELECT 1 FROM certificates AS l WHERE l.live_key = b.live_key) THEN NULL ELSE b.live_key END",
		"organization_id": "CASE WHEN b.status = 'revoked' THEN b.organization_id ELSE " +
			"(SELECT h.organization_id FROM hwkeys AS h WHERE h.id = b.hwkey_id) END",
	}, "NOT EXISTS (SELECT 1 FROM certificates AS l WHERE l.id = b.id)")
}

// unrecorded revocations are matched by serial number; they also apply to a certificate that is
// recorded by now, and to its key.
func (r *restoring) unrecorded(ctx context.Context) error {
	if err := r.stage(ctx, "unrecorded_revocations"); err != nil {
		return err
	}
	err := r.update(ctx, strings.ReplaceAll(`UPDATE unrecorded_revocations SET
		revoked_at = CASE WHEN `+laterThan+` THEN b.revoked_at ELSE l.revoked_at END,
		revocation_reason = CASE WHEN `+worseThan+` THEN b.revocation_reason ELSE l.revocation_reason END,
		published_at = NULL,
		public_key_sha256 = COALESCE(NULLIF(l.public_key_sha256, ''), b.public_key_sha256),
		der = COALESCE(NULLIF(l.der, ''), b.der), not_after = COALESCE(NULLIF(l.not_after, 0), b.not_after)
		FROM {unrecorded_revocations} AS b WHERE b.serial_number = l.serial_number
			AND (`+laterThan+` OR `+worseThan+` OR l.public_key_sha256 = '' AND b.public_key_sha256 <> '')`,
		"l.", "unrecorded_revocations."))
	if err != nil {
		return err
	}
	err = r.insert(ctx, "unrecorded_revocations", map[string]string{"id": "", "published_at": "NULL"},
		"NOT EXISTS (SELECT 1 FROM unrecorded_revocations AS l WHERE l.serial_number = b.serial_number)")
	if err != nil {
		return err
	}
	n, err := r.exec(ctx, `UPDATE certificates SET status = 'revoked', revoked_at = u.revoked_at, revocation_reason = u.revocation_reason,
		published_at = NULL, live_key = NULL
		FROM unrecorded_revocations AS u WHERE u.serial_number = certificates.serial_number AND certificates.status = 'issued'`)
	if err != nil {
		return err
	}
	of, err := r.exec(ctx, `UPDATE certificates SET status = 'revoked', revoked_at = {at}, revocation_reason = 'keyCompromise',
		published_at = NULL, live_key = NULL
		WHERE status = 'issued' AND not_after > {at} AND public_key_sha256 IN
			(SELECT c.public_key_sha256 FROM certificates AS c WHERE c.revocation_reason = 'keyCompromise'
			UNION SELECT u.public_key_sha256 FROM unrecorded_revocations AS u WHERE u.revocation_reason = 'keyCompromise')`)
	if err == nil && n+of > 0 {
		r.warn(fault.Sayf("certificates_revoked",
			"{certificates} certificates were revoked because the backup or this installation had them as "+
				"revoked or compromised.", fault.Params{"certificates": n + of}))
	}
	return err
}

// history, seals, notices and the license history come only if there are none.
func (r *restoring) history(ctx context.Context) error { return r.fill(ctx, "audit_entries") }

func (r *restoring) seals(ctx context.Context) error {
	came := r.report.Tables[len(r.report.Tables)-2] // the entries
	if came.Inserted == 0 {
		return nil
	}
	if err := r.remove(ctx, "DELETE FROM audit_batches WHERE TRUE"); err != nil { // of no entries
		return err
	}
	if err := r.take(ctx, "audit_batches", nil); err != nil {
		return err
	}
	return r.endOfLog(ctx)
}

func (r *restoring) notices(ctx context.Context) error { return r.fill(ctx, "notices") }

func (r *restoring) licenseHistory(ctx context.Context) error { return r.fill(ctx, "license_history") }

func (r *restoring) fill(ctx context.Context, table string) error {
	some, err := any1(ctx, r.sql, table)
	switch {
	case err != nil:
		return err
	case !some:
		return r.take(ctx, table, asTaken[table])
	case r.table().Backup > 0 && table == "audit_entries":
		r.report.Notes = append(r.report.Notes, fault.Sayf("audit_log_goes_on", "The current audit log was kept. The backup's "+
			"{entries} entries are in it only if they were there before.", fault.Params{"entries": r.table().Backup}))
	}
	return nil
}

// webhooks on both sides stay as they are. Those only in the backup come, turned off.
func (r *restoring) webhooks(ctx context.Context) error {
	if err := r.stage(ctx, "webhooks"); err != nil {
		return err
	}
	if err := r.same(ctx, "webhooks", "l.id = b.id AND l.created_at <> b.created_at"); err != nil {
		return err
	}
	err := r.kept(ctx, restore.Webhooks, `SELECT count(*) FROM {webhooks} AS b JOIN webhooks AS l ON l.id = b.id
		WHERE l.url <> b.url OR l.description <> b.description OR l.actions <> b.actions OR l.is_active <> b.is_active`)
	if err != nil {
		return err
	}
	err = r.insert(ctx, "webhooks", map[string]string{
		"is_active": "FALSE", "claims": "0", "claimed_at": "0", "lease_until": "0", "updated_at": "{at}",
		"after_audit_id": "(SELECT COALESCE(max(e.id), 0) FROM audit_entries AS e)",
	}, "NOT EXISTS (SELECT 1 FROM webhooks AS l WHERE l.id = b.id)")
	if n := r.table().Inserted; err == nil && n > 0 {
		r.warn(fault.Sayf("webhooks_back", "{webhooks} webhooks that were deleted since the backup are back, turned off: check each one.",
			fault.Params{"webhooks": n}))
	}
	return err
}

// settings are decided one by one.
func (r *restoring) settings(ctx context.Context) error {
	if err := r.stage(ctx, "settings"); err != nil {
		return err
	}
	names, err := queryAll(ctx, r.from.read, scanText, "SELECT name FROM settings ORDER BY name")
	if err != nil {
		return err
	}
	_, before, err := r.mailNow(ctx)
	if err != nil {
		return err
	}
	if r.logCame() { // a place in the former log means nothing in this one: its followers start at the beginning
		n, err := r.exec(ctx, "DELETE FROM settings WHERE substr(name, 1, 11) = '"+tailSettings+"'")
		if err != nil {
			return err
		}
		r.table().Removed += n
	}
	for _, name := range names {
		comes, known := r.comes(name)
		if !known {
			r.warn(fault.Sayf("setting_unknown", "The setting {name} was not restored: this version doesn't know it.",
				fault.Params{"name": name}))
		}
		if !comes {
			if err := r.keptSetting(ctx, name); err != nil {
				return err
			}
			continue
		}
		n, err := r.exec(ctx, "DELETE FROM settings WHERE name = '"+strings.ReplaceAll(name, "'", "''")+"'")
		if err != nil {
			return err
		}
		if err := r.insert(ctx, "settings", nil, "b.name = '"+strings.ReplaceAll(name, "'", "''")+"'"); err != nil {
			return err
		}
		t := r.table()
		t.Inserted, t.Updated = t.Inserted-n, t.Updated+n
	}
	return r.quietly(ctx, before)
}

// tailSettings is the prefix of the SIEMs' places in the log.
const tailSettings = "audit_tail."

// comes reports whether a setting is taken from the backup, and whether it is known.
func (r *restoring) comes(name string) (comes, known bool) {
	for _, p := range settingPolicies {
		if !strings.HasPrefix(name, p.name) {
			continue
		}
		switch {
		case name == restore.InstallationSetting:
			return r.kind == restore.Empty, true
		case strings.HasPrefix(name, tailSettings):
			return r.logCame(), true
		}
		return p.comes && r.kind != restore.InUse, true
	}
	return false, false
}

// keptSetting records a setting that was changed or removed since the backup.
func (r *restoring) keptSetting(ctx context.Context, name string) error {
	kind, ok := map[string]restore.Kept{
		"oidc": restore.SignOn, "password_policy": restore.PasswordRules, mail.SettingName: restore.Mail,
	}[name]
	if !ok {
		return nil
	}
	return r.kept(ctx, kind, `SELECT count(*) FROM {settings} AS b WHERE b.name = '`+name+`'
		AND NOT EXISTS (SELECT 1 FROM settings AS l WHERE l.name = b.name AND l.value = b.value)`)
}

// logCame reports whether the log is the backup's.
func (r *restoring) logCame() bool {
	for _, t := range r.report.Tables {
		if t.Name == "audit_entries" {
			return t.Inserted > 0
		}
	}
	return false
}
