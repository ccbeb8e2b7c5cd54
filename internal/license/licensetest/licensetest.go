// Package licensetest is a license vendor for tests.
package licensetest

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/test/must"
)

// Vendor signs with its own key.
type Vendor struct{ key ed25519.PrivateKey }

// New returns the vendor with that number, with the same key each time.
func New(number byte) Vendor {
	return Vendor{ed25519.NewKeyFromSeed(bytes.Repeat([]byte{number}, ed25519.SeedSize))}
}

// Public returns the vendor's public key in the form for the build.
func (v Vendor) Public() string {
	return base64.StdEncoding.EncodeToString(v.key.Public().(ed25519.PublicKey))
}

// Keys returns the vendor's public key.
func (v Vendor) Keys(t testing.TB) license.Keys {
	t.Helper()
	return must.Get(license.ParseKeys(v.Public()))(t)
}

// Issue returns the license file for an installation, valid between the two times.
func (v Vendor) Issue(t testing.TB, installation string, from, to time.Time) []byte {
	t.Helper()
	l := license.License{
		InstallationID: installation, CustomerName: "Example Ltd", CustomerEmail: "it@example.com", LicenseType: "enterprise",
		IssueDate: from.UTC().Truncate(time.Second), ExpiryDate: to.UTC().Truncate(time.Second),
	}
	signed := must.Get(license.Signed(l))(t)
	return must.Get(license.NewFile(l, ed25519.Sign(v.key, signed)))(t).Text()
}
