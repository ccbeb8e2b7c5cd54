package roles

import (
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/server"
)

// grow are the operations that make an installation grow, as their probes call them: a
// certificate for a slot without one, a file with an unrecorded token.
const grow = "create-user import-users register-hwkey import-hwkeys sign-csr"

// TestLicense: after the trial, all operations of the contract that make an
// installation grow are refused with the reason, and no others; a license ends that.
func TestLicense(t *testing.T) {
	t.Parallel()
	l := newLicensing(t)
	c := newFixtureWith(t, l.settings, slog.DiscardHandler)
	chief := c.person("qz-chief")
	l.is(t, c, license.Trial, 29)
	over := c.tryEach(t, chief)
	bare := c.newToken(t, chief) // without a certificate

	l.pass(30)
	l.is(t, c, license.Expired, 0)
	c.firstAndNext(t, chief, bare)
	c.restricted(t, chief, over, "trial_over")

	l.upload(t, c, 100)
	l.is(t, c, license.Valid, 100)
	c.newToken(t, chief)
}

// restricted tries the prepared requests, and checks that those that make the
// installation grow are refused for that reason.
func (c *fixture) restricted(t *testing.T, actor *person, tries map[string]prepared, reason string) {
	t.Helper()
	for _, id := range slices.Sorted(maps.Keys(tries)) {
		one := tries[id]
		token, answers, refused := "", one.cell.probe.answers, ""
		if one.cell.actor != nil {
			c.awake(t, actor)
			token = actor.token
		}
		switch {
		case id == "logout": // of another session, since others use this one
			token, _ = c.SignIn(t, actor.name, password)
		case slices.Contains(strings.Fields(grow), id):
			answers, refused = http.StatusForbidden, reason
		}
		res := c.Call(t, one.cell.op.Method, one.path, token, one.body)
		if why := restriction(res); res.Status != answers || why != refused {
			t.Errorf("%s: %s: %d %s, want %d, refused for %q", reason, one.cell, res.Status, res.Raw, answers, refused)
		}
	}
	for id := range table() {
		if _, tried := tries[id]; !tried {
			t.Errorf("%s was not tried", id)
		}
	}
}

// prepared is a request that would succeed.
type prepared struct {
	cell cell
	path string
	body any
}

// tryEach prepares each operation once: as somebody signed in, on a thing of their own
// if there is one, or anonymously.
func (c *fixture) tryEach(t *testing.T, actor *person) map[string]prepared {
	t.Helper()
	chosen := map[string]cell{}
	for _, one := range c.cells(t) {
		if one.verdict() != allowed || one.actor != nil && one.actor != actor || one.actor == nil && !one.rule.public {
			continue
		}
		if _, ok := chosen[one.op.ID]; !ok || one.owner == actor {
			chosen[one.op.ID] = one
		}
	}
	out := map[string]prepared{}
	for id, one := range chosen {
		d, path := c.prepare(t, one, one.op.Method != http.MethodGet)
		out[id] = prepared{one, path, d.body}
	}
	return out
}

// firstAndNext: a slot gets no first certificate, but one with a live certificate is
// renewed; an import, even a dry run, is refused if it would add a token.
func (c *fixture) firstAndNext(t *testing.T, chief *person, bare string) {
	t.Helper()
	sign := func(serial string) server.Response {
		t.Helper()
		body := c.signing(t, serial, chief)
		body["csr"] = c.anotherCSR(t, chief)
		return c.Call(t, "POST", "/api/hwkey/"+serial+"/sign-csr", chief.token, body)
	}
	ready := func(serial string) string {
		t.Helper()
		return fmt.Sprint(c.Must(t, "GET", "/api/hwkey/"+serial+"/signing-readiness", chief.token, nil)["reasons"])
	}
	if got := ready(bare) + ready(chief.serial); got != "[license_restricted][]" {
		t.Errorf("ready for a first certificate, and for a renewal: %s", got)
	}
	if res := sign(bare); restriction(res) != "trial_over" {
		t.Errorf("a first certificate: %d %s", res.Status, res.Raw)
	}
	if res := sign(chief.serial); res.Status != http.StatusOK || res.Body["serial_number"] == chief.cert {
		t.Errorf("a renewal: %d %s", res.Status, res.Raw)
	}
	dry := server.CSV("serial\n" + fresh("dry") + "\n")
	if res := c.Call(t, "POST", "/api/hwkey/import?dry_run=true", chief.token, dry); restriction(res) != "trial_over" {
		t.Errorf("a dry run: %d %s", res.Status, res.Raw)
	}
	if res := c.Call(t, "POST", "/api/hwkey/import", chief.token, server.CSV("serial\n"+bare+"\n")); res.Body["unchanged"] != 1.0 {
		t.Errorf("an import that adds nothing: %d %s", res.Status, res.Raw)
	}
}

// anotherCSR returns a different CSR for the same key as csr's.
func (c *fixture) anotherCSR(t *testing.T, owner *person) string {
	t.Helper()
	der := must.Get(x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		Subject: pkix.Name{CommonName: owner.name}, SignatureAlgorithm: x509.SHA512WithRSA,
	}, c.rsa))(t)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}

// restriction returns why the license forbids something; empty if it does not.
func restriction(res server.Response) string {
	params, _ := res.Body["params"].(map[string]any)
	if res.Status != http.StatusForbidden || res.Body["code"] != "license_restricted" {
		return ""
	}
	return fmt.Sprint(params["reason"])
}
