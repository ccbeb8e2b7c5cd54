package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/keyward/keyward/internal/keypair"
	"github.com/keyward/keyward/internal/pki"
)

// date judges when something ends, or says when it was.
func (d *doctor) date(of date) {
	at, ends := map[dated]struct {
		soon time.Duration
		todo string
	}{
		caEnds:     {90 * day, "Make its successor: docs/certificate-authority.md."},
		crlEnds:    {12 * time.Hour, "The server renews it once the vault is open and the CA can sign."},
		signerEnds: {7 * day, "The server renews it once the vault is open and the CA can sign."},
		licenseEnd: {14 * day, "Upload a license: docs/license.md."},
	}[of.Of]
	name := string(of.Of)
	if of.ID != "" {
		name += " " + of.ID
	}
	if !ends { // the component backups judges whether that is too long
		d.add(name, Fine, "It was "+ago(d.Now().Sub(of.At))+" ago.", of.At)
		return
	}
	d.ends(name, of.At, at.soon, at.todo)
}

// certificates looks at the ends of the server's own, and of what it shows to others.
func (d *doctor) certificates(context.Context) {
	for _, pair := range []struct{ about, cert, key string }{
		{"TLS certificate", d.Config.TLSCertFile, d.Config.TLSKeyFile},
		{"certificate for the vault", d.Config.VaultClientCert, d.Config.VaultClientKey},
		{"certificate for the license service", d.Config.LicenseServiceCertFile, d.Config.LicenseServiceKeyFile},
	} {
		if pair.cert == "" {
			continue
		}
		p, err := keypair.Open(pair.cert, pair.key, slog.New(slog.DiscardHandler))
		if err != nil {
			d.add(pair.about, Failure, err.Error())
			continue
		}
		d.ends(pair.about, p.Leaf().NotAfter, 21*day, "Replace its file: the server notices.")
	}
	for _, list := range (&pki.ParentCRLs{Files: d.Config.ParentCRLFiles, Now: d.Now}).Report(nil) {
		switch about := "list " + list.File; {
		case list.Problem == pki.ParentUnreadable:
			d.add(about, Failure, "It can't be read (PKI_PARENT_CRL_FILES).")
		case !list.NextUpdate.IsZero():
			d.ends(about, list.NextUpdate, day, "Replace its file: the server notices.")
		}
	}
}

// ends judges when something ends. soon is when somebody should act.
func (d *doctor) ends(about string, at time.Time, soon time.Duration, todo string) {
	switch left := at.Sub(d.Now()); {
	case left <= 0:
		d.add(about, Failure, "It has ended. "+todo, at)
	case left < soon:
		d.add(about, Attention, "It ends in "+ago(left)+". "+todo, at)
	default:
		d.add(about, Fine, "It lasts for "+ago(left)+".", at)
	}
}
