package embedded

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
)

// Options says where the vault is and what its PKI signs.
type Options struct {
	// Path is a directory, created if needed, or a file whose name ends in ".db". In a directory
	// the file is "vault.db".
	Path string
	// Seal holds the key outside the vault's file. The default is FileSeal("vault.key") in the same
	// directory: convenient, but anyone who copies the directory has both.
	Seal Seal
	// PublicBase is the site's URL. Certificates carry {PublicBase}/api/pki/crl and
	// {PublicBase}/api/pki/ca.cer. A change affects new certificates only.
	PublicBase string
	// OCSP adds {PublicBase}/api/pki/ocsp to new certificates.
	OCSP bool
	// CRLValidity is the time from a list's thisUpdate to its nextUpdate; the default is 48 hours.
	CRLValidity time.Duration
	// CAKeyType, CACommonName and ImportCA count only when the vault is created. The defaults:
	// rsa-3072, "Keyward Root CA", no import. ImportCA is PEM: certificate, its chain if any,
	// private key.
	CAKeyType    piv.KeyType
	CACommonName string
	ImportCA     secret.String
	// Role is what the PKI signs; the default is vault.DefaultRole.
	Role vault.Role
	// Now is the clock; the default is time.Now.
	Now func() time.Time
	// Logger takes warnings; the default is slog.Default.
	Logger *slog.Logger
	// LockTimeout is how long to wait for another process to release the vault; the default is one
	// second.
	LockTimeout time.Duration
}

// check fills in the defaults and reports every mistake at once.
func (o *Options) check() error {
	var mistakes []error
	if o.Path == "" {
		mistakes = append(mistakes, errors.New("the vault's path is missing"))
	}
	base, err := url.Parse(o.PublicBase)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" ||
		base.RawQuery != "" || base.Fragment != "" || base.User != nil || strings.ContainsFunc(o.PublicBase, notASCII) {
		mistakes = append(mistakes, errors.New("the public base is not an absolute http or https URL without query and user"))
	}
	o.PublicBase = strings.TrimRight(o.PublicBase, "/")
	if o.CAKeyType == "" {
		o.CAKeyType = piv.RSA3072
	}
	if o.CACommonName == "" {
		o.CACommonName = "Keyward Root CA"
	}
	if len(o.Role.KeyTypes) == 0 {
		o.Role.KeyTypes = vault.DefaultRole().KeyTypes
	}
	if o.Role.MaxTTL == 0 {
		o.Role.MaxTTL = vault.DefaultRole().MaxTTL
	}
	if o.Role.MaxTTL < 2*time.Minute {
		mistakes = append(mistakes, errors.New("the role's longest lifetime is shorter than two minutes"))
	}
	if o.CRLValidity == 0 {
		o.CRLValidity = crlValidity
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.LockTimeout == 0 {
		o.LockTimeout = time.Second
	}
	if o.Seal == nil {
		o.Seal = FileSeal(filepath.Join(filepath.Dir(o.file()), "vault.key"))
	}
	if len(mistakes) > 0 {
		return fmt.Errorf("%w: %w", vault.ErrInvalid, errors.Join(mistakes...))
	}
	return nil
}

func notASCII(r rune) bool { return r <= ' ' || r >= 0x7f }

// file is the path of the database file.
func (o *Options) file() string {
	if strings.HasSuffix(o.Path, ".db") {
		return o.Path
	}
	return filepath.Join(o.Path, "vault.db")
}
