package move

import (
	"context"
	"crypto/x509"
	"fmt"

	"github.com/keyward/keyward/internal/vault"
)

// pageRevocations is how many revocations the new vault gets before it builds its CRL.
const pageRevocations = 1000

// vaultAlone is the state's table for the revocations only in the old vault; before
// those, it is empty.
const vaultAlone = "vault"

// raiseCRL raises the numbers of the CRLs above the old ones' while the new lists are empty
// and quick to build.
func (m *Move) raiseCRL(ctx context.Context) error {
	return m.eachCA(ctx, func(ca string, old uint64) error {
		patience := vault.RaiseDeadline(old, vault.RaiseWithin)
		return m.NewVault.RaiseCRL(ctx, ca, old, func(number uint64) error {
			m.Progress("  CRL number: %d, above %d", number, old)
			return patience(number)
		})
	})
}

// eachCA passes on the old vault's CAs that have lists, and the numbers of these.
func (m *Move) eachCA(ctx context.Context, each func(ca string, number uint64) error) error {
	for _, ca := range m.cas {
		if len(ca.Chain) == 0 {
			continue
		}
		number, _, err := m.OldVault.CRLNumber(ctx, ca.ID)
		if err == nil {
			err = each(ca.ID, number)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// eachRevocation passes on all revocations from a position on, in pages: recorded
// ones, whether or not the old vault has them yet, and then those only in the vault.
// at is the position after the page.
func (m *Move) eachRevocation(ctx context.Context, at State, each func(page []vault.Revocation, at State) error) error {
	for at.Table != vaultAlone {
		list, err := m.OldRows.RevokedAfter(ctx, at.Row, m.page(pageRevocations))
		if err != nil {
			return err
		}
		page := make([]vault.Revocation, len(list))
		for i, c := range list {
			page[i], at.Row = c.Revocation, c.Row
		}
		if len(list) < m.page(pageRevocations) {
			at.Table = vaultAlone
		}
		if err := each(page, at); err != nil {
			return err
		}
	}
	var seen int64
	var page []vault.Revocation
	flush := func() error {
		alone, err := m.unrecorded(ctx, page)
		if err != nil {
			return err
		}
		page, at.Number = page[:0], seen
		return each(alone, at)
	}
	done := at.Number
	err := m.OldVault.Revoked(ctx, func(r vault.Revocation) error {
		if seen++; seen <= done {
			return nil
		}
		if page = append(page, r); len(page) < m.page(pageRevocations) {
			return nil
		}
		return flush()
	})
	if err == nil && len(page) > 0 {
		err = flush()
	}
	return err
}

// unrecorded returns those of the old vault's revocations that are not recorded,
// with the certificates that have a record.
func (m *Move) unrecorded(ctx context.Context, page []vault.Revocation) ([]vault.Revocation, error) {
	serials := make([]string, len(page))
	for i, r := range page {
		serials[i] = r.Serial
	}
	known, err := m.OldRows.Recorded(ctx, serials)
	if err != nil {
		return nil, err
	}
	var out []vault.Revocation
	for _, r := range page {
		c, recorded := known[r.Serial]
		if recorded && c.Revoked {
			continue
		}
		if recorded {
			r.Certificate, r.NotAfter = c.Certificate, c.NotAfter
		}
		out = append(out, r)
	}
	return out, nil
}

// fate is what happens to a revocation in the new vault.
type fate int

const (
	movable fate = iota
	ended        // the certificate has expired: Vault does not revoke it, and no CRL need list it (RFC 5280, section 3.3)
	unknown      // the certificate has no record, and Vault takes nothing else
	former       // from a CA that the old vault does not have: Vault's CRLs list what their issuers signed
)

func (m *Move) fateOf(r vault.Revocation) fate {
	if !r.NotAfter.IsZero() && !m.Now().Before(r.NotAfter) {
		return ended
	}
	if len(r.Certificate) == 0 {
		return unknown
	}
	c, err := x509.ParseCertificate(r.Certificate)
	if err != nil {
		return unknown
	}
	if _, ours := vault.IssuerOf(m.cas, c); !ours {
		return former
	}
	return movable
}

// moveRevocations revokes in the new vault, from the state's position on.
func (m *Move) moveRevocations(ctx context.Context) error {
	return m.eachRevocation(ctx, m.state, func(page []vault.Revocation, at State) error {
		var list []vault.Revocation
		for _, r := range page {
			if m.fateOf(r) == movable {
				list = append(list, r)
			}
		}
		if err := m.NewVault.Revoke(ctx, list...); err != nil {
			return err
		}
		m.state = at
		if err := m.note(ctx); err != nil {
			return err
		}
		m.Progress("  revocations: %d", len(list))
		return m.point("revocations")
	})
}

// checkRevocations compares the new CRL with every revocation.
func (m *Move) checkRevocations(ctx context.Context) error {
	listed := map[string]bool{}
	if err := m.NewVault.Revoked(ctx, func(r vault.Revocation) error { listed[r.Serial] = true; return nil }); err != nil {
		return err
	}
	err := m.eachRevocation(ctx, State{}, func(page []vault.Revocation, _ State) error {
		for _, r := range page {
			if !listed[r.Serial] && m.fateOf(r) == movable {
				return fmt.Errorf("the revoked certificate %s is not on the new CRL", r.Serial)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return m.eachCA(ctx, func(ca string, old uint64) error {
		list, err := m.NewVault.CRL(ctx, ca)
		if err == nil && list.Number <= old {
			err = fmt.Errorf("the new CRL has number %d, the old one had %d", list.Number, old)
		}
		return err
	})
}
