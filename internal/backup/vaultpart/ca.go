package vaultpart

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/vault"
)

// caPlan is how a restore treats the CAs.
type caPlan struct {
	restore vault.CARestorer // nil: the vault's CAs stay as they are
	how     vault.CARestore
	has     map[string]bool // by ID: the backup's that the vault has in the end
	revokes bool            // by serial number only
	warning fault.Sentence  // why some of the backup's are not among the vault's
}

func planCA(ctx context.Context, to Target, of *Survey, o Options) (p caPlan, err error) {
	if len(of.first.Chain) == 0 {
		return p, nil
	}
	same, err := SameCA(ctx, to, of)
	if err != nil {
		return p, err
	}
	lister, ok := to.(vault.IssuedLister)
	p.revokes = ok && lister.RevokesBySerial()
	present, lacks, err := compareCAs(ctx, to, of)
	if err != nil {
		return p, err
	}
	p.has = present
	over := o.Over == restore.Fresh || o.Over == restore.Empty
	takes, ok := to.(vault.CARestorer)
	switch {
	case ok && of.HasKey() && (same || o.ReplaceCA):
		p.restore, p.how = takes, vault.CARestore{Replace: o.ReplaceCA && (!same || over), Drop: over}
		for _, a := range of.cas() {
			p.has[a.ID] = true
		}
	case !lacks:
	case !o.ReplaceCA:
		p.warning = fault.Say("ca_stays",
			"The vault keeps its CA, which is not the backup's: certificates of the backup's CA are no longer on any CRL.")
	case !of.HasKey():
		p.warning = fault.Say("ca_without_key", "The backup has no CA key, because its vault doesn't export it. "+
			"This vault signs with a different CA: restore onto the vault with the backup's CA, or issue every "+
			"token's certificate again.")
	default:
		p.warning = fault.Sayf("ca_by_hand", "The vault signs with a different CA than the backup's, and a "+
			"restore can't replace it. Delete the CA of the vault's PKI mount, import the one from {path} in the backup there "+
			"(pki/issuers/import/bundle), make it the default issuer, "+
			"run keyward vault setup, and restore again.", fault.Params{"path": caPath})
	}
	return p, nil
}

// compareCAs returns those of the backup's CAs that the vault has, by ID, and whether it lacks one with a
// certificate.
func compareCAs(ctx context.Context, to vault.PKI, of *Survey) (present map[string]bool, lacks bool, err error) {
	cas, err := to.CAs(ctx)
	if err != nil {
		return nil, false, err
	}
	present = map[string]bool{}
	for _, a := range of.cas() {
		there := slices.ContainsFunc(cas, func(ca vault.CA) bool { return ca.ID == a.ID && len(ca.Chain) > 0 })
		present[a.ID] = there
		lacks = lacks || !there && len(a.Chain) > 0
	}
	return present, lacks, nil
}

// revoke takes some of the backup's revocations. A vault that needs the certificates
// gets them later from the database (package rollback), which records the revocations.
func (w *Writer) revoke(data vault.Data) (action, error) {
	list, err := parseRevocations(data)
	if err != nil {
		return kept, err
	}
	return w.revokeAll(list)
}

func (w *Writer) revokeAll(list []vault.Revocation) (action, error) {
	var taken, others []vault.Revocation
	for _, r := range list {
		if r.CA == "" {
			r.CA = w.of.first.ID
		}
		if w.ca.revokes && w.ca.has[r.CA] {
			taken = append(taken, r)
		} else {
			others = append(others, r)
		}
	}
	did := kept
	if len(taken) > 0 {
		did = written
		if err := w.to.Revoke(w.ctx, taken...); err != nil {
			return did, err
		}
	}
	if len(others) > 0 && w.options.Record != nil {
		return did, w.options.Record(w.ctx, others)
	}
	return did, nil
}

// Reach checks, before anything changes, whether the vault's CRL numbers can be
// raised as far as a restore needs; a vault whose numbers cannot be set is raised
// now. Conflict if it can't be; VaultUnavailable.
func Reach(ctx context.Context, to Target, of *Survey, now time.Time) error {
	if _, ok := to.(vault.CARestorer); ok {
		return Reachable(ctx, to, of, now)
	}
	return eachPresent(ctx, to, of, func(a authority) error { return vault.RaiseCRLAbove(ctx, to, a.ID, of.above(a, now)) })
}

// Reachable is Reach as far as possible without signing a CRL.
func Reachable(ctx context.Context, to Target, of *Survey, now time.Time) error {
	_, told := to.(vault.CARestorer)
	return eachPresent(ctx, to, of, func(a authority) error {
		if told && a.key { // the number can be set
			return nil
		}
		most := vault.MaxListsWithin
		if told {
			most = vault.MaxRaise
		}
		number, _, err := to.CRLNumber(ctx, a.ID)
		if above := of.above(a, now); err == nil && above > number+most {
			err = vault.CRLNumberOutOfReach(number, above)
		}
		return vault.Fault(err)
	})
}

// eachPresent passes on the backup's CAs that the vault has.
func eachPresent(ctx context.Context, to Target, of *Survey, each func(authority) error) error {
	present, _, err := compareCAs(ctx, to, of)
	if err != nil {
		return vault.Fault(err)
	}
	for _, a := range of.cas() {
		if !present[a.ID] {
			continue
		}
		if err := each(a); err != nil {
			return err
		}
	}
	return nil
}

// finishCA runs after all revocations, so that a restored CA's first CRL has them. A
// restore without its CA is not worth much, so its error fails the whole.
func (w *Writer) finishCA() error {
	if w.ca.warning.Text != "" {
		w.report.Warnings = append(w.report.Warnings, w.ca.warning)
	}
	for part := range slices.Chunk(w.of.published, maxRevocations) {
		if _, err := w.persist(func() (action, error) { return w.revokeAll(part) }); err != nil {
			return fmt.Errorf("the revocations of the published CRL could not be restored: %w", err)
		}
	}
	for path, err := range w.report.Failed {
		if isRevocations(path) {
			return fmt.Errorf("revocations of the backup (%s) could not be restored: %w", path, err)
		}
	}
	_, err := w.persist(func() (action, error) {
		if w.ca.restore == nil {
			return kept, eachPresent(w.ctx, w.to, w.of, func(a authority) error {
				return w.to.RaiseCRL(w.ctx, a.ID, w.of.above(a, w.options.Now), nil)
			})
		}
		var list []vault.ExportedCA
		for _, a := range w.of.cas() {
			a.Above = w.of.above(a, w.options.Now)
			list = append(list, a.ExportedCA)
		}
		return written, w.ca.restore.RestoreCAs(w.ctx, list, w.ca.how)
	})
	if err != nil {
		err = fmt.Errorf("the backup's CA, or the number of its CRL, could not be restored: %w", err)
	}
	return err
}
