package roles

import (
	"cmp"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/server"
)

// grow are the operations that make an installation grow, as their probes ask for them: a
// certificate for a slot that has none, a file with a token that is not on record.
const grow = "create-user register-hwkey import-hwkeys sign-csr"

// TestLicenseRestricts: over all operations of the contract, with the trial over, those
// that make an installation grow are refused, and nothing else is.
func TestLicenseRestricts(t *testing.T) {
	t.Parallel()
	c := newCity(t)
	chief := c.person("qz-chief")
	tries := c.tryEach(t, chief)
	bare := c.newToken(t, chief) // without a certificate
	c.restrict(t)
	c.firstAndNext(t, chief, bare)
	ids := slices.Sorted(maps.Keys(tries))
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(ends(a), ends(b)) })
	for _, id := range ids {
		one := tries[id]
		token := ""
		if one.cell.actor != nil {
			c.awake(t, chief)
			token = chief.token
		}
		res := c.Call(t, one.cell.op.Method, one.path, token, one.body)
		if want := slices.Contains(strings.Fields(grow), id); isRestricted(res) != want {
			t.Errorf("%s: %d %s, refused is %t", one.cell, res.Status, res.Raw, want)
		} else if !want && res.Status != one.cell.probe.answers {
			t.Errorf("%s: %d %s, want %d as without a restriction", one.cell, res.Status, res.Raw, one.cell.probe.answers)
		}
	}
	for id := range table() {
		if _, tried := tries[id]; !tried {
			t.Errorf("%s was not tried", id)
		}
	}
}

// ends is 1 for what ends the session that others name.
func ends(id string) int {
	if id == "logout" {
		return 1
	}
	return 0
}

// prepared is a request that would succeed.
type prepared struct {
	cell cell
	path string
	body any
}

// tryEach prepares each operation once: as somebody signed in, on a thing of their own if
// there is one, or as nobody.
func (c *city) tryEach(t *testing.T, actor *person) map[string]prepared {
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

// firstAndNext: a slot gets no first certificate, and one that has a live one is renewed;
// an import is refused, as a dry run, too, if it would add a token.
func (c *city) firstAndNext(t *testing.T, chief *person, bare string) {
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
	if res := sign(bare); !isRestricted(res) {
		t.Errorf("a first certificate: %d %s", res.Status, res.Raw)
	}
	if res := sign(chief.serial); res.Status != http.StatusOK || res.Body["serial_number"] == chief.cert {
		t.Errorf("a renewal: %d %s", res.Status, res.Raw)
	}
	if res := c.Call(t, "POST", "/api/hwkey/import?dry_run=true", chief.token, server.CSV("serial\n"+fresh("dry")+"\n")); !isRestricted(res) {
		t.Errorf("a dry run: %d %s", res.Status, res.Raw)
	}
	if res := c.Call(t, "POST", "/api/hwkey/import", chief.token, server.CSV("serial\n"+bare+"\n")); res.Body["unchanged"] != 1.0 {
		t.Errorf("an import that adds nothing: %d %s", res.Status, res.Raw)
	}
}

// anotherCSR is for the same key as csr's, and not the same.
func (c *city) anotherCSR(t *testing.T, owner *person) string {
	t.Helper()
	der := must.Get(x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		Subject: pkix.Name{CommonName: owner.name}, SignatureAlgorithm: x509.SHA512WithRSA,
	}, c.rsa))(t)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}

func isRestricted(res server.Response) bool {
	return res.Status == http.StatusForbidden && res.Body["code"] == "license_restricted"
}

// restrict has the database remember a trial that is over, and waits until the server
// knows.
func (c *city) restrict(t *testing.T) {
	t.Helper()
	began := time.Now().Add(-31 * 24 * time.Hour).UTC().Format(time.RFC3339)
	c.execute(t, "UPDATE settings SET value = ? WHERE name = 'license_facts'",
		`{"trial_started_at":"`+began+`","latest_seen_at":"`+began+`","newest_issue":"0001-01-01T00:00:00Z"}`)
	await.That(t, "the server hears that the trial is over", func() bool {
		return c.Must(t, "GET", "/api/admin/license", c.root().token, nil)["restricted"] == true
	})
}
