package backup

import (
	"context"
	"encoding/json"

	"github.com/keyward/keyward/internal/backup/vaultpart"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/rollback"
)

// Refusals before anything changes.
var (
	errNothingToRetry = fault.New(fault.Conflict, "nothing_to_retry", "There is nothing to finish: no restore of "+
		"that backup was interrupted.")
	errRetryByFile = fault.New(fault.Conflict, "retry_by_file", "That backup came from a file. Continue on the "+
		"server with keyward restore --resume and the file.")
	errAnotherBackup = fault.New(fault.Conflict, "restore_of_another_backup", "The interrupted restore used a "+
		"different backup. Continue with that one.")
	errNeedsList = fault.New(fault.Conflict, "restore_needs_crl", "The interrupted restore also used a published list of revoked "+
		"certificates. Continue on the server with keyward restore --resume and --crl.")
	errListAlone = fault.New(fault.Conflict, "crl_without_vault", "This backup has only the database, and a list of revoked "+
		"certificates belongs to the vault's part. Leave --crl out, or use a full backup.")
	errLacksSeal = fault.New(fault.Conflict, "backup_lacks_seal", "The vault has lost the key that seals the audit log, and the backup "+
		"is too old to verify the end of this log. Nothing was changed. Use a newer backup, or restore this one onto an empty computer.")
	errAnotherCA = fault.New(fault.Conflict, "backup_of_another_ca", "The backup has a different CA and would "+
		"replace this installation's: certificates of the current CA would stop working. To do this anyway, use replace_ca.")
	errAnotherVault = fault.New(fault.Conflict, "backup_of_another_vault", "The vault or the database is from a "+
		"different installation than the backup. Nothing was changed. Use those of the backup's installation, or empty ones.")
	errNeedsDatabase = fault.New(fault.Conflict, "backup_needs_database", "This backup has only the vault, and "+
		"the database for it is missing. Restore a full or a database backup of that installation first.")
	errNeedsVault = fault.New(fault.Conflict, "backup_needs_vault", "This backup has only the database, and the "+
		"vault is from another installation: nobody could read its secrets. Restore a full backup, or use the "+
		"vault that belongs to it.")
)

// RestorePlan is what a restore would do.
type RestorePlan struct {
	Type     Type
	Database restore.Target // what the database part would replace; empty: none, or already restored
	Over     restore.Target // what the vault part would replace
	// OtherCA means that the backup has another CA than the vault, and replaces it if
	// the vault allows that.
	OtherCA bool
	// Again means that an interrupted restore of this backup is resumed.
	Again bool
}

// plan determines what a restore replaces, and refuses what must not be replaced.
func (r *Restorer) plan(ctx context.Context, q Restoration, l *loaded) (p RestorePlan, err error) {
	p.Type = l.archive.Header.Type
	if r.Database == nil {
		database, secrets := includes(p.Type)
		switch {
		case q.Resume:
			return p, errNothingToRetry
		case !database:
			return p, errNeedsDatabase
		case !secrets:
			return p, errNeedsVault
		}
		p.Database, p.Over, p.OtherCA = restore.Empty, restore.Empty, true
		return p, nil
	}
	former, err := r.Guard.RestoreUnfinished(ctx)
	if err != nil {
		return p, err
	}
	if q.Resume {
		switch {
		case former == nil:
			return p, errNothingToRetry
		case former.Checksum != l.archive.Header.Checksum:
			return p, errAnotherBackup
		case former.Published && q.Published == nil:
			return p, errNeedsList
		}
		p.Again, p.Over = true, former.Over
		return p, nil
	}
	// A database alone would end the restore whose secrets are still missing.
	if former != nil {
		_, had := includes(Type(former.Type))
		if _, secrets := includes(p.Type); had && !secrets {
			return p, errAnotherBackup
		}
	}
	database, vault, err := r.Numbers(ctx)
	if err != nil {
		return p, err
	}
	there, err := l.number(ctx)
	if err != nil {
		return p, err
	}
	if l.scratch != nil {
		if p.Database, err = r.Database.RestoreKind(ctx, l.scratch); err != nil {
			return p, err
		}
	}
	if p.Over, err = over(p, numbers{database, vault, there}); err != nil {
		return p, err
	}
	if err := r.planSeal(ctx, l, p); err != nil {
		return p, err
	}
	return p, r.planCA(ctx, q, l, vault, &p)
}

// planSeal refuses a backup that could not verify the remaining log: the vault has
// lost its key, and a new segment must continue something verifiable.
func (r *Restorer) planSeal(ctx context.Context, l *loaded, p RestorePlan) error {
	if l.survey == nil || p.Database == restore.Empty || p.Database == restore.Fresh {
		return nil
	}
	last, err := r.Database.LastAuditBatch(ctx)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	known, err := l.survey.SealsIn(ctx, r.Vault, last)
	if err == nil && !known {
		err = errLacksSeal
	}
	return err
}

// numbers are the ids of an installation's two sides and of a backup.
type numbers struct{ database, vault, backup string }

// over returns what the vault part replaces.
func over(p RestorePlan, n numbers) (restore.Target, error) {
	database, secrets := includes(p.Type)
	known := n.backup != "" && n.vault == n.backup
	switch {
	case !secrets && p.Database != restore.InUse && !known:
		return "", errNeedsVault
	case !database && n.database == "":
		return "", errNeedsDatabase
	case !database && n.database != n.backup:
		return "", errAnotherVault
	case known, p.Database == restore.InUse && n.vault == "", !database && n.vault == "":
		return restore.InUse, nil
	case p.Database == restore.Fresh && n.vault == n.database:
		return restore.Fresh, nil
	case p.Database == restore.Empty && n.vault == "":
		return restore.Empty, nil
	}
	return "", errAnotherVault
}

// planCA refuses another CA without ReplaceCA. A vault without an installation has
// no CA that anyone relies on.
func (r *Restorer) planCA(ctx context.Context, q Restoration, l *loaded, vault string, p *RestorePlan) error {
	if l.survey == nil {
		return nil
	}
	same, err := vaultpart.SameCA(ctx, r.Vault, l.survey)
	if err != nil {
		return err
	}
	p.OtherCA = !same
	if p.OtherCA && vault != "" && !q.ReplaceCA {
		return errAnotherCA
	}
	return nil
}

// number returns the id of the backup's installation: the database's, or the vault's.
func (l *loaded) number(ctx context.Context) (string, error) {
	if l.scratch == nil {
		return l.survey.Installation(), nil
	}
	v, err := l.scratch.Setting(ctx, restore.InstallationSetting)
	if fault.Is(err, fault.NotFound) {
		return "", nil
	}
	var is struct {
		ID string `json:"id"`
	}
	if err == nil {
		err = json.Unmarshal([]byte(v.Text), &is)
	}
	return is.ID, err
}

// unfinished returns what the database records until the restore has ended. If an
// earlier restore has not ended, what that replaced still counts.
func (r *Restorer) unfinished(ctx context.Context, q Restoration, l *loaded, p RestorePlan, id string) (rollback.Unfinished, error) {
	u := rollback.Unfinished{
		ID: id, At: r.Now().UTC(), Key: q.Key, Checksum: l.archive.Header.Checksum, Type: string(p.Type),
		Kind: p.Database, Over: p.Over, ReplaceCA: p.OtherCA, Published: q.Published != nil,
	}
	former, err := r.Guard.RestoreUnfinished(ctx)
	if err != nil || former == nil {
		return u, err
	}
	if former.Kind == restore.Empty || former.Kind == restore.Fresh {
		u.Kind = former.Kind
	}
	if former.Over == restore.Empty || former.Over == restore.Fresh {
		u.Over = former.Over
	}
	u.ReplaceCA = u.ReplaceCA || former.ReplaceCA
	return u, nil
}
