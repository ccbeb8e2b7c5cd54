package backup

import (
	"context"
	"crypto/x509"
	"errors"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/fault"
)

// authority checks that the CA's certificates are there, and that the new vault can
// sign a CRL of that CA with all revocations.
func (d *drill) authority(ctx context.Context, to Rehearsal) error {
	active, there := d.survey.Active()
	if !there {
		return nil
	}
	ca, err := x509.ParseCertificate(active.Chain[0])
	if err != nil {
		return noCRL(err)
	}
	if !d.survey.HasKey() {
		d.saw = append(d.saw, fault.Say("no_ca_key", "It doesn't have the CA's key: the vault doesn't export it."))
		return nil
	}
	signed, err := to.CRL(ctx, active.ID)
	if err != nil {
		return err
	}
	list, err := x509.ParseRevocationList(signed.DER)
	if err == nil {
		err = list.CheckSignatureFrom(ca)
	}
	if err != nil {
		return noCRL(err)
	}
	d.saw = append(d.saw, fault.Sayf("crl_made", "The CA signed a revocation list with {entries} "+
		"entries.", fault.Params{"entries": len(list.RevokedCertificateEntries)}))
	return nil
}

// auditLog verifies the chain of the backup's audit log with the key in the vault
// part. Its newest head may cover entries written after the database was read.
func (d *drill) auditLog(ctx context.Context, to Rehearsal) error {
	anchor, err := chain.VaultAnchor(ctx, to)
	if err != nil {
		return err
	}
	anchor.Head = nil
	report, err := chain.Verify(ctx, d.scratch, anchor)
	if bad, ok := errors.AsType[*chain.Bad](err); ok {
		return noAuditLog(bad)
	}
	if err != nil {
		return err
	}
	d.saw = append(d.saw, fault.Sayf("audit_verified", "Sealed audit entries verified: {entries}.",
		fault.Params{"entries": report.Entries}))
	return nil
}

// Findings of a drill besides counts.
func noCRL(why error) error {
	return fault.New(fault.BackupCorrupt, "drill_ca", "The backup opens, but the CA in it can't create a CRL. "+
		"Create another backup. If that fails too, report it.").With(why)
}

func noAuditLog(why error) error {
	return fault.New(fault.BackupCorrupt, "drill_audit", "The backup opens, but the audit log in it doesn't "+
		"verify. Run keyward audit verify. If this installation's log is intact, create another backup.").With(why)
}
