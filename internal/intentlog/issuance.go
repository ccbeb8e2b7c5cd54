package intentlog

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
	// The certificate: known before the signature with an engine that tells, else
	// once the intent is concluded; empty for what was not signed.
	SerialNumber string    `json:"serial_number,omitempty"` // as in vault.Issued
	TBSSHA256    string    `json:"tbs_sha256,omitempty"`    // hex, of the TBSCertificate
	NotAfter     time.Time `json:"not_after,omitzero"`
	CA           string    `json:"ca,omitempty"`      // ID of the CA that was to sign; empty: not known, or the first one
	Outcome      Outcome   `json:"outcome,omitempty"` // empty while it is open
	// Of its entry in the audit log, without number and time: hex. Empty unless the
	// server that tried to record the certificate concluded the intent.
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

// SetCertificate fills in the certificate that was signed.
func (i *Issuance) SetCertificate(c *x509.Certificate) {
	i.SerialNumber, i.TBSSHA256, i.NotAfter = vault.SerialOf(c.SerialNumber), TBS(c), c.NotAfter.UTC()
}

// SetRecorded fills in the certificate that is in the database.
func (i *Issuance) SetRecorded(c *x509.Certificate) {
	i.SetCertificate(c)
	i.Outcome = Recorded
}

// SetUnsigned fills in what the engine tells of a certificate before it signs.
func (i *Issuance) SetUnsigned(u vault.Unsigned) {
	if u.Serial != "" {
		i.SerialNumber, i.TBSSHA256, i.NotAfter, i.CA = u.Serial, hex.EncodeToString(u.SHA256[:]), u.NotAfter.UTC(), u.CA
	}
}

// TBS is the hex SHA-256 of the certificate's TBSCertificate.
func TBS(c *x509.Certificate) string { return hexSHA256(c.RawTBSCertificate) }

func hexSHA256(der []byte) string {
	sum := sha256.Sum256(der)
	return hex.EncodeToString(sum[:])
}

// Batch is what was logged together.
type Batch struct {
	ID      string     `json:"-"` // its document's name
	At      time.Time  `json:"at"`
	Entries []Issuance `json:"entries"`
}

// Entry is an issuance with its name in the log, which is the same wherever the entry is found and
// sorts by time.
type Entry struct {
	ID string `json:"id"` // of its batch, and its place there
	Issuance
}

// Entry returns one of the batch's entries.
func (b *Batch) Entry(index int) Entry {
	return Entry{fmt.Sprintf("%s_%03d", b.ID, index), b.Entries[index]}
}

// At is when it was logged.
func (e Entry) At() time.Time { return time.UnixMicro(e.Number() / maxBatch).UTC() }

// Number is for paging: it increases with time. Entries of two servers may share a number.
func (e Entry) Number() int64 {
	parts := strings.Split(e.ID, "_")
	at, _ := strconv.ParseInt(parts[0], 10, 64)
	place, _ := strconv.ParseInt(parts[len(parts)-1], 10, 64)
	return at*maxBatch + place%maxBatch
}

// SerialNumbers are those of the entries whose certificate is known.
func SerialNumbers(entries []Entry) []string {
	var serials []string
	for _, e := range entries {
		if e.SerialNumber != "" {
			serials = append(serials, e.SerialNumber)
		}
	}
	return serials
}

func (b *Batch) concluded() bool {
	for _, e := range b.Entries {
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
type issuanceDocument struct {
	Entries []Entry `json:"entries"`
}
