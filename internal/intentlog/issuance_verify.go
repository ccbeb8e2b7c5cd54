package intentlog

import (
	"context"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/vault"
)

// IssuanceProof is the database's evidence of a certificate's issue.
type IssuanceProof struct {
	DER             []byte
	PublicKeySHA256 string      // the record's
	Entries         []chain.Row // of type certificate.issued
}

// IssuanceDatabase is what VerifyIssuances reads from.
type IssuanceDatabase interface {
	// IssuanceProofs returns the proofs of these serial numbers; a proof without DER has no record.
	IssuanceProofs(ctx context.Context, serialNumbers []string) (map[string]IssuanceProof, error)
	// CertificatesAfter returns the serial numbers of at most limit recorded
	// certificates valid from before from and ending after ends, starting after the
	// position after in an unspecified order, and the position of the last.
	CertificatesAfter(ctx context.Context, after int64, from, ends time.Time, limit int) (serialNumbers []string, last int64, err error)
}

// IssuanceReport is the result of VerifyIssuances.
type IssuanceReport struct {
	Recorded int64 // marked as recorded in the vault; without an error, the database has them all
	// Unrecorded counts the others by outcome; Outcome "" is open.
	Unrecorded map[Outcome]int64
	// Unknown counts the unexpired certificates that only the database has, as after a
	// restore. Newest are the latest of them.
	Unknown int64
	Newest  []string
}

// BadIssuances are those that the database lacks or has differently from the vault.
type BadIssuances struct {
	Count int64
	First []BadIssuance // at most 20
}

// BadIssuance is one of them.
type BadIssuance struct {
	Entry

	Problem string
}

// Error names the first of them.
func (b *BadIssuances) Error() string {
	var said []string
	for _, i := range b.First {
		said = append(said, fmt.Sprintf("%s (token %s, slot %s, %s): %s",
			i.SerialNumber, i.HWKeySerial, i.Slot, i.At().Format(time.RFC3339), i.Problem))
	}
	if more := b.Count - int64(len(b.First)); more > 0 {
		said = append(said, fmt.Sprintf("and %d more", more))
	}
	return "certificates that the vault has as recorded are missing from the database, or differ: " + strings.Join(said, "; ")
}

// proofsPage is how many certificates are read at a time.
const proofsPage = 1000

// showBadIssuances limits BadIssuances.First.
const showBadIssuances = 20

// VerifyIssuances compares the issuance log with the database: each issuance marked
// as recorded must have its certificate, key and audit entry. Issuances logged but
// not recorded, as after a crash, are counted but are no fault; nor are those only
// in the database. It returns *BadIssuances if something is missing or differs; any
// other error means that something could not be read.
func VerifyIssuances(ctx context.Context, kv vault.KV, db IssuanceDatabase, now time.Time) (IssuanceReport, error) {
	v := issuanceVerifier{db: db, report: IssuanceReport{Unrecorded: map[Outcome]int64{}}, known: map[string]bool{}}
	err := EachIssuance(ctx, kv, func(e Entry) error { return v.add(ctx, e) })
	if err != nil {
		return v.report, vault.Fault(err)
	}
	if err := v.check(ctx); err != nil {
		return v.report, err
	}
	if err := v.unknown(ctx, now); err != nil {
		return v.report, err
	}
	if v.bad.Count > 0 {
		return v.report, &v.bad
	}
	return v.report, nil
}

type issuanceVerifier struct {
	db      IssuanceDatabase
	report  IssuanceReport
	bad     BadIssuances
	waiting []Entry         // recorded, not checked yet
	known   map[string]bool // serial numbers in the vault's log
}

func (v *issuanceVerifier) add(ctx context.Context, e Entry) error {
	if e.SerialNumber != "" {
		v.known[e.SerialNumber] = true
	}
	if e.Outcome != Recorded {
		v.report.Unrecorded[e.Outcome]++
		return nil
	}
	if v.waiting = append(v.waiting, e); len(v.waiting) < proofsPage/2 {
		return nil
	}
	return v.check(ctx)
}

func (v *issuanceVerifier) check(ctx context.Context) error {
	proofs, err := v.db.IssuanceProofs(ctx, SerialNumbers(v.waiting))
	if err != nil {
		return err
	}
	for _, e := range v.waiting {
		v.report.Recorded++
		problem := contradictionOf(e, proofs[e.SerialNumber])
		if problem == "" {
			continue
		}
		if v.bad.Count++; len(v.bad.First) < showBadIssuances {
			v.bad.First = append(v.bad.First, BadIssuance{e, problem})
		}
	}
	v.waiting = v.waiting[:0]
	return nil
}

// contradictionOf says what is wrong with the proof; "" if nothing.
func contradictionOf(e Entry, p IssuanceProof) string {
	if p.DER == nil {
		return "there is no such certificate on record"
	}
	c, err := x509.ParseCertificate(p.DER)
	if err != nil {
		return "what is on record is not a certificate"
	}
	switch {
	case e.TBSSHA256 != "" && TBS(c) != e.TBSSHA256:
		return "the certificate on record is a different one"
	case p.PublicKeySHA256 != e.PublicKeySHA256 || hexSHA256(c.RawSubjectPublicKeyInfo) != e.PublicKeySHA256:
		return "the certificate on record is for a different key"
	case len(p.Entries) == 0:
		return "the audit log has no entry for its issuance"
	case !slices.ContainsFunc(p.Entries, func(r chain.Row) bool { return r.Fault == "" && describes(r.Entry, e) }):
		return "the audit log's entry for its issuance differs from what was written"
	}
	return ""
}

// describes reports whether an entry is the one written for an issuance. If the vault
// lacks its hash, because the server stopped too early, it compares token and requester.
func describes(a audit.Entry, e Entry) bool {
	if e.EntrySHA256 != "" {
		return entryHash(a) == e.EntrySHA256
	}
	account := int64(0)
	if a.ActorID != nil {
		account = *a.ActorID
	}
	return account == e.Account && a.APIKey() == e.APIKey && strings.HasPrefix(a.Details, OfToken(e.HWKeySerial, e.Slot))
}

// SetEntry fills in the hash of the certificate's audit entry.
func (i *Issuance) SetEntry(e audit.Entry) { i.EntrySHA256 = entryHash(e) }

// entryHash hashes an entry without its number and time, which the database assigns.
func entryHash(e audit.Entry) string {
	e.ID, e.At = 0, time.Time{}
	hash := chain.Leaf(&e)
	return hex.EncodeToString(hash[:])
}

// OfToken begins the details of an issuance's audit entry.
func OfToken(serial, slot string) string { return fmt.Sprintf("token %s, slot %s, ", serial, slot) }

// unknown counts what only the database has. The vault's log may not have the serial
// number of a very recent certificate yet.
func (v *issuanceVerifier) unknown(ctx context.Context, now time.Time) error {
	for after := int64(0); ; {
		page, last, err := v.db.CertificatesAfter(ctx, after, now.Add(-Overdue), now, proofsPage)
		if err != nil {
			return err
		}
		for _, serial := range page {
			if v.known[serial] {
				continue
			}
			v.report.Unknown++
			if v.report.Newest = append(v.report.Newest, serial); len(v.report.Newest) > showUnknown {
				v.report.Newest = v.report.Newest[1:]
			}
		}
		if len(page) < proofsPage {
			return nil
		}
		after = last
	}
}
