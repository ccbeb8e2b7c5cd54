package system

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var now = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

type database struct {
	read, write error
	allowed     int // of 21 connections; zero: all
}

func (d database) Ping(context.Context) error     { return d.read }
func (d database) Writable(context.Context) error { return d.write }
func (d database) Crowded() (allowed, wanted int, crowded bool) {
	return d.allowed, 21, d.allowed > 0
}

func TestDatabaseComponent(t *testing.T) {
	t.Parallel()
	trouble := errors.New("disk I/O error at /secret/path")
	for _, c := range []struct {
		db   database
		want Status
	}{{database{}, OK}, {database{read: trouble}, Failed}, {database{write: trouble}, Failed}, {database{allowed: 6}, Degraded}} {
		f := DatabaseComponent(c.db, unaltered, unaltered).Check(t.Context())
		if f.Status != c.want || strings.Contains(f.Detail, "secret") || (c.want != OK) != (f.Detail != "") {
			t.Errorf("%+v: %+v", c.db, f)
		}
	}
	late, cancel := context.WithCancel(t.Context())
	cancel()
	if f := DatabaseComponent(database{write: context.Canceled}, unaltered, unaltered).Check(late); f.Status != TimedOut {
		t.Errorf("a lock that does not pass: %+v", f)
	}
}

// TestDatabaseSaysWhy: a database that refuses connections is told apart from one that does not
// answer.
func TestDatabaseSaysWhy(t *testing.T) {
	t.Parallel()
	refused := fault.New(fault.DatabaseUnavailable, "refused", "It refuses the password.").With(errors.New("hunter2"))
	f := DatabaseComponent(database{read: refused}, unaltered, unaltered).Check(t.Context())
	if f.Code != "database_refused" || f.Detail != refused.Detail {
		t.Errorf("%+v", f)
	}
}

// unaltered is for a database that is unchanged and lacks nothing.
func unaltered() []string { return nil }

func TestDatabaseComponentAltered(t *testing.T) {
	t.Parallel()
	altered := func() []string { return []string{"trigger quiet on audit_entries", "row security on users"} }
	f := DatabaseComponent(database{}, altered, unaltered).Check(t.Context())
	if f.Status != Degraded || !strings.Contains(f.Detail, "trigger quiet on audit_entries; row security on users") {
		t.Errorf("%+v", f)
	}
}

// TestOlderComponents: what one of the two lacks is reported, without reporting either as down.
func TestOlderComponents(t *testing.T) {
	t.Parallel()
	lacks := func() []string { return []string{"3 audit entries", "a certificate"} }
	there := func(context.Context) vault.State { return vault.Connected }
	for _, c := range []Component{DatabaseComponent(database{}, unaltered, lacks), VaultComponent(there, lacks)} {
		if f := c.Check(t.Context()); f.Status != Degraded || !strings.Contains(f.Detail, "It lacks 3 audit entries; a certificate.") {
			t.Errorf("%s: %+v", c.Name, f)
		}
	}
}

func TestVaultComponent(t *testing.T) {
	t.Parallel()
	for state, want := range map[vault.State]Status{
		vault.Connected: OK, vault.Sealed: Failed, vault.Disconnected: Failed, vault.Denied: Failed,
	} {
		if f := VaultComponent(func(context.Context) vault.State { return state }, unaltered).Check(t.Context()); f.Status != want {
			t.Errorf("%s: %+v", state, f)
		}
	}
}

// authorities is the part of a PKI that is checked.
type authorities struct {
	vault.PKI
	ca    []byte
	caErr error
	crl   vault.CRL
	err   error
}

func (a authorities) CAs(context.Context) ([]vault.CA, error) {
	return []vault.CA{{ID: "a", Chain: [][]byte{a.ca}, Active: true, First: true}}, a.caErr
}

func (a authorities) CRL(context.Context, string) (vault.CRL, error) { return a.crl, a.err }

func certificate(t *testing.T, from, to time.Time) []byte {
	t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(4711), Subject: pkix.Name{CommonName: "Root"}, NotBefore: from, NotAfter: to}
	return must.Get(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))(t)
}

func TestAuthorityComponent(t *testing.T) {
	t.Parallel()
	year, hour := 365*24*time.Hour, time.Hour
	ca := certificate(t, now.Add(-year), now.Add(year))
	list := vault.CRL{Number: 3, ThisUpdate: now.Add(-hour), NextUpdate: now.Add(47 * hour)}
	for _, c := range []struct {
		name string
		pki  authorities
		want Status
	}{
		{"good", authorities{ca: ca, crl: list}, OK},
		{"sealed", authorities{caErr: vault.ErrSealed}, Failed},
		{"no CRL", authorities{ca: ca, err: vault.ErrUnavailable}, Failed},
		{"a fault", authorities{ca: ca, err: fault.New(fault.VaultUnavailable, "", "Away.")}, Failed},
		{"no certificate", authorities{ca: []byte("x"), crl: list}, Failed},
		{"CA expired", authorities{ca: certificate(t, now.Add(-year), now), crl: list}, Failed},
		{"CA shortens certificates", authorities{ca: certificate(t, now.Add(-year), now.Add(199*24*hour)), crl: list}, Degraded},
		{"CA will soon", authorities{ca: certificate(t, now.Add(-year), now.Add(289*24*hour)), crl: list}, Degraded},
		{"CA will not yet", authorities{ca: certificate(t, now.Add(-year), now.Add(291*24*hour)), crl: list}, OK},
		{"CA of the future", authorities{ca: certificate(t, now.Add(hour), now.Add(year)), crl: list}, Failed},
		{"CRL past its time", authorities{ca: ca, crl: vault.CRL{ThisUpdate: now.Add(-48 * hour), NextUpdate: now}}, Failed},
		{"CRL old", authorities{ca: ca, crl: vault.CRL{ThisUpdate: now.Add(-40 * hour), NextUpdate: now.Add(8 * hour)}}, Degraded},
		{"CRL of the future", authorities{ca: ca, crl: vault.CRL{ThisUpdate: now.Add(hour), NextUpdate: now.Add(49 * hour)}}, Failed},
	} {
		var outdated bool
		older := func() (uint64, uint64, bool) { return 3, 7, outdated }
		check := AuthorityComponent(c.pki, 200*24*hour, older, func() time.Time { return now }).Check
		f := check(t.Context())
		if f.Status != c.want || (c.want != OK) != (f.Detail != "") {
			t.Errorf("%s: %+v, want %s", c.name, f, c.want)
		}
		outdated = true
		if f := check(t.Context()); f.Status != Failed || c.want == OK && !strings.Contains(f.Detail, "number 3, but had 7") {
			t.Errorf("%s, and outdated: %+v", c.name, f)
		}
	}
}

func TestDiskComponent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		free  int64
		known bool
		err   error
		want  Status
	}{
		{2 << 30, true, nil, OK}, {1<<30 - 1, true, nil, Degraded}, {100<<20 - 1, true, nil, Failed}, {0, true, nil, Failed},
		{0, false, nil, NotConfigured}, {0, false, errors.New("/secret"), Failed},
	} {
		f := DiskComponent(func() (int64, int64, bool, error) { return c.free, 4 << 30, c.known, c.err }).Check(t.Context())
		if f.Status != c.want || strings.Contains(f.Detail, "secret") {
			t.Errorf("%+v: %+v", c, f)
		}
	}
}

func TestFollowerComponent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lag  time.Duration
		err  error
		want Status
	}{{0, nil, OK}, {time.Minute, nil, OK}, {time.Hour, nil, Degraded}, {0, errors.New("/secret"), Failed}} {
		f := FollowerComponent("x", func(context.Context) (time.Duration, error) { return c.lag, c.err }).Check(t.Context())
		if f.Status != c.want || strings.Contains(f.Detail, "secret") {
			t.Errorf("%+v: %+v", c, f)
		}
	}
}

// hanging is a vault that never answers.
type hanging struct {
	vault.PKI
	release chan struct{}
}

func (h hanging) State(context.Context) vault.State { <-h.release; return vault.Connected }

func (h hanging) CAs(context.Context) ([]vault.CA, error) { return nil, vault.ErrUnavailable }

func (h hanging) CRL(context.Context, string) (vault.CRL, error) {
	return vault.CRL{}, vault.ErrUnavailable
}

func TestVaultReportDoesNotHang(t *testing.T) {
	t.Parallel()
	h := hanging{release: make(chan struct{})}
	defer close(h.release)
	s := &Service{VaultEngine: "embedded", Vault: h, Now: time.Now}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := s.VaultReport(ctx); r.State != "disconnected" || r.CA != nil || r.CRL != nil || r.Engine != "embedded" {
		t.Errorf("%+v", r)
	}
}

type living struct{ authorities }

func (living) State(context.Context) vault.State { return vault.Connected }

func TestVaultReport(t *testing.T) {
	t.Parallel()
	pki := authorities{ca: certificate(t, now, now.Add(time.Hour)),
		crl: vault.CRL{Number: 12, ThisUpdate: now, NextUpdate: now.Add(time.Hour)}}
	s := &Service{VaultEngine: "embedded", Vault: living{pki}, Now: time.Now}
	r := s.VaultReport(t.Context())
	if r.State != "connected" || r.CA.Subject != "CN=Root" || r.CA.KeyType != "ec-p384" || r.CA.SerialNumber != "1267" ||
		!r.CA.NotAfter.Equal(now.Add(time.Hour)) || r.CRL.Number != 12 || !r.CRL.NextUpdate.Equal(now.Add(time.Hour)) {
		t.Errorf("%+v %+v %+v", r, r.CA, r.CRL)
	}
}
