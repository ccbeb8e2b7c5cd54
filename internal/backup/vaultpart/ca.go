package vaultpart

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
)

// replacer is a vault whose CA can be replaced.
type replacer interface {
	// ReplaceCA makes a CA (PEM, with its key) the vault's, with CRL numbers above both
	// its own and the given one.
	ReplaceCA(ctx context.Context, ca secret.String, above uint64) error
}

// caPlan is how a restore treats the CA.
type caPlan struct {
	same    bool
	replace replacer       // nil: the vault's CA stays
	revokes bool           // by serial number only
	warning fault.Sentence // why the vault's CA stays, if it differs
}

func planCA(ctx context.Context, to Target, of *Survey, replace bool) (p caPlan, err error) {
	if len(of.ca.chain) == 0 {
		return p, nil
	}
	if p.same, err = SameCA(ctx, to, of); err != nil {
		return p, err
	}
	lister, ok := to.(vault.IssuedLister)
	p.revokes = ok && lister.RevokesBySerial()
	takes, ok := to.(replacer)
	switch {
	case p.same:
	case !replace:
		p.warning = fault.Say("ca_stays",
			"The vault keeps its CA, which is not the backup's: certificates of the backup's CA are no longer on any CRL.")
	case !of.ca.key:
		p.warning = fault.Say("ca_without_key", "The backup has no CA key, because its vault doesn't export it. "+
			"This vault signs with a different CA: restore onto the vault with the backup's CA, or issue every "+
			"token's certificate again.")
	case !ok:
		p.warning = fault.Sayf("ca_by_hand", "The vault signs with a different CA than the backup's, and a "+
			"restore can't replace it. Import the CA from {path} in the backup into the vault's PKI mount "+
			"(pki/issuers/import/bundle), make it the default issuer there, "+
			"run keyward vault setup, and restore again.", fault.Params{"path": caPath})
	default:
		p.replace = takes
	}
	return p, nil
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
	switch {
	case w.ca.revokes && (w.ca.same || w.ca.replace != nil):
		return written, w.to.Revoke(w.ctx, list...)
	case w.options.Record != nil:
		return kept, w.options.Record(w.ctx, list)
	}
	return kept, nil
}

// Reach checks, before anything changes, whether the vault's CRL number can be
// raised as far as a restore needs; a vault whose number cannot be set is raised
// now. Conflict if it can't be; VaultUnavailable.
func Reach(ctx context.Context, to Target, of *Survey, now time.Time) error {
	same, err := SameCA(ctx, to, of)
	if err != nil || !same || len(of.ca.chain) == 0 {
		return err
	}
	if _, ok := to.(replacer); ok {
		return Reachable(ctx, to, of, now)
	}
	return vault.RaiseCRLAbove(ctx, to, of.above(now))
}

// Reachable is Reach as far as possible without signing a CRL.
func Reachable(ctx context.Context, to Target, of *Survey, now time.Time) error {
	same, err := SameCA(ctx, to, of)
	_, told := to.(replacer)
	if err != nil || !same || len(of.ca.chain) == 0 || told && of.ca.key { // the number can be set
		return err
	}
	most := vault.MaxListsWithin
	if told {
		most = vault.MaxRaise
	}
	number, _, err := to.CRLNumber(ctx)
	if above := of.above(now); err == nil && above > number+most {
		err = vault.CRLNumberOutOfReach(number, above)
	}
	return vault.Fault(err)
}

// finishCA runs after all revocations, so that a replaced CA's first CRL has them. A
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
	if w.ca.replace == nil && !w.ca.same {
		return nil
	}
	above := w.of.above(w.options.Now)
	_, err := w.persist(func() (action, error) {
		if w.ca.replace != nil {
			return written, w.ca.replace.ReplaceCA(w.ctx, w.of.ca.text, above)
		}
		number, _, err := w.to.CRLNumber(w.ctx)
		if err != nil {
			return kept, err
		}
		if takes, ok := w.to.(replacer); ok && w.of.ca.key && vault.CheckRaise(number, above) != nil {
			return kept, takes.ReplaceCA(w.ctx, w.of.ca.text, above) // same CA: sets only the number, however high
		}
		return kept, w.to.RaiseCRL(w.ctx, above, nil)
	})
	if err != nil {
		err = fmt.Errorf("the backup's CA, or the number of its CRL, could not be restored: %w", err)
	}
	return err
}
