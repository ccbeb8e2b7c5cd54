package cert

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/issuancelog"
)

// Proof is what the database has of a certificate's issue.
type Proof struct {
	DER             []byte
	PublicKeySHA256 string // the record's
	Logged          bool   // there is a certificate.issued of it
}

// Proofs is what VerifyIssuances asks the database.
type Proofs interface {
	// IssuanceProofs gives what there is of these serial numbers: a proof without
	// DER has no record.
	IssuanceProofs(ctx context.Context, serialNumbers []string) (map[string]Proof, error)
}

// IssuanceReport is what VerifyIssuances saw.
type IssuanceReport struct {
	Recorded int64 // that the vault marked as recorded; the database has them all, if there is no error
	// Unrecorded counts the others by what became of them; Outcome "" is open.
	Unrecorded map[issuancelog.Outcome]int64
}

// BadIssuances are those that the database does not have as the vault recorded
// them.
type BadIssuances struct {
	Count int64
	First []BadIssuance // at most 20
}

// BadIssuance is one of them.
type BadIssuance struct {
	issuancelog.Entry

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
	return "certificates that the vault knows as recorded are not in the database as they were: " + strings.Join(said, "; ")
}

// showBadIssuances is how many are named.
const showBadIssuances = 20

// VerifyIssuances holds the issuance log against the database: what the vault
// marked as recorded must be there, the very certificate with its key, and the
// entry of its issue. What it only noted in advance, as a crash leaves it, is counted
// and no fault. The error is BadIssuances when something is missing or another;
// any other one means that something could not be read.
func VerifyIssuances(ctx context.Context, kv vault.KV, db Proofs) (IssuanceReport, error) {
	v := verifying{db: db, report: IssuanceReport{Unrecorded: map[issuancelog.Outcome]int64{}}}
	err := issuancelog.Each(ctx, kv, func(e issuancelog.Entry) error { return v.add(ctx, e) })
	if err != nil {
		return v.report, vault.Fault(err)
	}
	if err := v.check(ctx); err != nil {
		return v.report, err
	}
	if v.bad.Count > 0 {
		return v.report, &v.bad
	}
	return v.report, nil
}

type verifying struct {
	db      Proofs
	report  IssuanceReport
	bad     BadIssuances
	waiting []issuancelog.Entry // recorded, and not checked yet
}

func (v *verifying) add(ctx context.Context, e issuancelog.Entry) error {
	if e.Outcome != issuancelog.Recorded {
		v.report.Unrecorded[e.Outcome]++
		return nil
	}
	if v.waiting = append(v.waiting, e); len(v.waiting) < batch/2 {
		return nil
	}
	return v.check(ctx)
}

func (v *verifying) check(ctx context.Context) error {
	proofs, err := v.db.IssuanceProofs(ctx, serialsOf(v.waiting))
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

// contradictionOf says what is wrong with what the database has; "" is nothing.
func contradictionOf(e issuancelog.Entry, p Proof) string {
	if p.DER == nil {
		return "there is no such certificate on record"
	}
	c, err := x509.ParseCertificate(p.DER)
	if err != nil {
		return "what is on record is no certificate"
	}
	key := sha256.Sum256(c.RawSubjectPublicKeyInfo)
	switch {
	case e.TBSSHA256 != "" && issuancelog.TBS(c) != e.TBSSHA256:
		return "the certificate on record is another one"
	case p.PublicKeySHA256 != e.PublicKeySHA256 || hex.EncodeToString(key[:]) != e.PublicKeySHA256:
		return "the certificate on record is for another key"
	case !p.Logged:
		return "the audit log has no entry of its issue"
	}
	return ""
}
