package issuancelog

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// Issuance is the log's record of a certificate.
type Issuance struct {
	HWKeySerial     string `json:"hwkey_serial"`
	Slot            string `json:"slot"`
	Account         int64  `json:"account"`          // 0 for an API key
	APIKey          int64  `json:"api_key,omitzero"` // 0 for a person
	CSRSHA256       string `json:"csr_sha256"`       // hex, of its DER
	PublicKeySHA256 string `json:"public_key_sha256"`
	// Of the certificate: known before signing if the engine knows it then, otherwise once it is
	// settled; empty if nothing was signed.
	SerialNumber string    `json:"serial_number,omitempty"` // as in vault.Issued
	TBSSHA256    string    `json:"tbs_sha256,omitempty"`    // hex, of the TBSCertificate
	NotAfter     time.Time `json:"not_after,omitzero"`
	Outcome      Outcome   `json:"outcome,omitempty"` // empty until it is settled
	// Of its entry in the audit log, without number and time: hex; empty if the server ended before
	// it was known.
	EntrySHA256 string `json:"entry_sha256,omitempty"`
}

// Outcome is what became of an issuance.
type Outcome string

// The outcomes.
const (
	Recorded  Outcome = "recorded"
	Discarded Outcome = "discarded" // perhaps signed, not recorded, and revoked
	NotSigned Outcome = "not_signed"
	// Lost: not known to be recorded, and not revoked: an older database was accepted since, or the
	// vault cannot revoke it.
	Lost Outcome = "lost"
)

// Of records the certificate that was signed.
func (i *Issuance) Of(c *x509.Certificate) {
	i.SerialNumber, i.TBSSHA256, i.NotAfter = vault.SerialOf(c.SerialNumber), TBS(c), c.NotAfter.UTC()
}

// Become records the certificate, with the outcome Recorded.
func (i *Issuance) Become(c *x509.Certificate) {
	i.Of(c)
	i.Outcome = Recorded
}

// About records what is going to be signed.
func (i *Issuance) About(u vault.Unsigned) {
	if u.Serial != "" {
		i.SerialNumber, i.TBSSHA256, i.NotAfter = u.Serial, hex.EncodeToString(u.SHA256[:]), u.NotAfter.UTC()
	}
}

// TBS is the hex SHA-256 of the certificate's TBSCertificate.
func TBS(c *x509.Certificate) string {
	sum := sha256.Sum256(c.RawTBSCertificate)
	return hex.EncodeToString(sum[:])
}

// Sheet holds entries that were logged together.
type Sheet struct {
	ID      string     `json:"-"` // its document's name
	At      time.Time  `json:"at"`
	Entries []Issuance `json:"entries"`
}

// Entry is an issuance with its name in the log, which is the same wherever the entry is found and
// sorts by time.
type Entry struct {
	ID string `json:"id"` // of its sheet, and its place there
	Issuance
}

// Entry returns one of the sheet's entries.
func (s *Sheet) Entry(index int) Entry {
	return Entry{fmt.Sprintf("%s_%03d", s.ID, index), s.Entries[index]}
}

// At is when it was logged.
func (e Entry) At() time.Time { return time.UnixMicro(e.Number() / maxSheet).UTC() }

// Number is for paging: it increases with time. Entries of two servers may share a number.
func (e Entry) Number() int64 {
	parts := strings.Split(e.ID, "_")
	at, _ := strconv.ParseInt(parts[0], 10, 64)
	place, _ := strconv.ParseInt(parts[len(parts)-1], 10, 64)
	return at*maxSheet + place%maxSheet
}

func (s *Sheet) settled() bool {
	for _, e := range s.Entries {
		if e.Outcome == "" {
			return false
		}
	}
	return true
}

// Paths of the log; the names contain an underscore, which no token serial does.
const (
	openPath       = "_issuances/open"
	settledPath    = "_issuances/settled"
	keptPath       = "_issuances/kept"
	unrecordedPath = "_issuances/unrecorded"
)

// document holds recorded entries.
type document struct {
	Entries []Entry `json:"entries"`
}
