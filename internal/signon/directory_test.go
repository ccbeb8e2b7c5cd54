package signon_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/signon"
	"github.com/keyward/keyward/test/must"
)

const sid = "S-1-5-21-1-2-3-1104"

// naming turns the claims on, and returns what is logged.
func (d *desk) naming(upnClaim, sidClaim string) *bytes.Buffer {
	d.t.Helper()
	s := must.Get(d.Load(d.t.Context()))(d.t)
	s.UPNClaim, s.SIDClaim = upnClaim, sidClaim
	must.Get(d.Change(d.t.Context(), access.Actor{Username: "admin"}, s, nil))(d.t)
	var log bytes.Buffer
	d.Log = slog.New(slog.NewTextHandler(&log, nil))
	return &log
}

// person signs somebody in with claims, and returns the account.
func (d *desk) person(subject string, claims map[string]any) account.User {
	d.t.Helper()
	d.says.Subject = subject
	d.says.Claims = map[string]any{"email": subject + "@example.org"}
	for k, v := range claims {
		d.says.Claims[k] = v
	}
	if _, reason := d.end(d.begin(false)); reason != "" {
		d.t.Fatalf("%s is refused: %s", subject, reason)
	}
	return must.Get(d.db.UserByIdentity(d.t.Context(), d.says.Issuer, subject))(d.t)
}

// TestDirectoryClaims: UPN and SID follow the claims at every sign-in; one that cannot be
// used keeps nobody out, and changes nothing.
func TestDirectoryClaims(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if u := d.person("nina", map[string]any{"upn": "nina@corp.example", "sid": sid}); u.UPN+u.SID != "" {
		t.Errorf("the claims are off: %q %q", u.UPN, u.SID)
	}
	log := d.naming("ad.upn", "sid")
	claims := func(upn, sid any) map[string]any { return map[string]any{"ad": map[string]any{"upn": upn}, "sid": sid} }
	d.person("olaf", claims("olaf@corp.example", "S-1-5-21-1-2-3-9"))
	for i, c := range []struct {
		upn, sid any
		want     string
		logged   int
	}{
		{"nina@corp.example", sid, "nina@corp.example " + sid, 0},
		{"nina@corp.example", sid, "nina@corp.example " + sid, 0},
		{nil, nil, "nina@corp.example " + sid, 0},
		{"", []any{"x"}, "nina@corp.example " + sid, 0},
		{"not a upn", "S-1-1-0", "nina@corp.example " + sid, 2},
		{"OLAF@corp.example", "S-1-5-21-1-2-3-9", "nina@corp.example " + sid, 2},
		{"olaf@corp.example", "S-1-5-21-1-2-3-10", "nina@corp.example S-1-5-21-1-2-3-10", 1}, // each by itself
		{" nina@forest.example ", sid, "nina@forest.example " + sid, 0},
	} {
		log.Reset()
		u := d.person("nina", claims(c.upn, c.sid))
		if got := u.UPN + " " + u.SID; got != c.want {
			t.Errorf("%d: %s, want %s", i, got, c.want)
		}
		if n := strings.Count(log.String(), "level=WARN"); n != c.logged {
			t.Errorf("%d: %d warnings, want %d: %s", i, n, c.logged, log)
		}
	}
	var said []string
	for _, e := range must.Get(d.db.AuditAfter(t.Context(), 0, 500))(t) {
		if e.Action == audit.UserUpdated {
			said = append(said, e.Actor+" "+e.Details)
		}
	}
	if len(said) != 7 || said[2] != "system UPN from none to nina@corp.example" {
		t.Errorf("audited: %q", said)
	}
}

// TestDirectoryClaimInACertificate: nobody is there to be asked, so that certificates with
// the former name stay, and nobody else gets it.
func TestDirectoryClaimInACertificate(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.naming("upn", "")
	u := d.person("nina", map[string]any{"upn": "nina@corp.example"})
	must.Get(d.db.InsertDevice(t.Context(), hwkey.Device{Serial: "1", Status: hwkey.Assigned, OwnerID: &u.ID, RegisteredAt: d.Now()},
		audit.Entry{Action: audit.HWKeyRegistered, Outcome: audit.Success, Actor: audit.System}))(t)
	must.Both(d.db.InsertCertificate(t.Context(), cert.Certificate{
		SerialNumber: "aa", HWKeySerial: "1", Slot: "9a", CommonName: u.Username, OwnerUsername: u.Username, OwnerEmail: u.Email,
		OwnerUPN: u.UPN, OwnerID: &u.ID,
		SANs: []cert.SAN{{Type: "upn", Value: "nina@corp.example"}}, NotBefore: d.Now(), NotAfter: d.Now().Add(time.Hour), Status: cert.Issued,
	}, audit.Entry{Action: audit.CertificateIssued, Outcome: audit.Success, Actor: audit.System}))(t)
	if u = d.person("nina", map[string]any{"upn": "nina.b@corp.example"}); u.UPN != "nina.b@corp.example" {
		t.Errorf("the UPN is %q", u.UPN)
	}
	if c := must.Get(d.db.Certificate(t.Context(), access.All(), "aa"))(t); c.Status != cert.Issued {
		t.Errorf("the certificate is %s", c.Status)
	}
	if u := d.person("olaf", map[string]any{"upn": "nina@corp.example"}); u.UPN != "" {
		t.Errorf("another has the former name: %q", u.UPN)
	}
}

func TestDirectoryClaimsChecked(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	s := must.Get(d.Load(t.Context()))(t)
	s.UPNClaim, s.SIDClaim = strings.Repeat("x", 257), "a\nb"
	_, err := d.Change(t.Context(), access.Actor{Username: "admin"}, s, nil)
	f, ok := fault.As(err)
	if !ok || len(f.Fields) != 2 || f.Fields[0].Field != "sid_claim" || f.Fields[1].Field != "upn_claim" {
		t.Errorf("refused with %v", err)
	}
	if set := signon.DefaultSettings(); set.UPNClaim+set.SIDClaim != "" {
		t.Errorf("on by default: %+v", set)
	}
}
