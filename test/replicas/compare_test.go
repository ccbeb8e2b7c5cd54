package replicas_test

import (
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/nginx"
)

// compare holds what clients were told against all that is on record: tokens,
// certificates, CRLs, the audit log, the messages of webhooks, and the vault.
func (s *site) compare(t *testing.T, hooks *receiver) {
	t.Helper()
	s.record.begin(fault{name: "afterwards"})
	log := s.entries(t)
	issued := map[string]int{} // certificates on record, by token
	recorded, devices := map[string]m{}, map[string]m{}
	for _, c := range s.admin.all(t, "/api/certificates?limit=500") {
		issued[c["hwkey_serial"].(string)]++
		recorded[c["serial_number"].(string)] = c
	}
	for _, d := range s.admin.all(t, "/api/hwkey?limit=500") {
		devices[d["serial"].(string)] = d
	}
	jobs, revoked, held := 0, map[string]bool{}, int64(0)
	for _, w := range s.workers {
		held += w.held.Load()
		for _, j := range w.done {
			jobs++
			compareJob(t, j, devices[j.serial], recorded[j.certificate], log)
			if issued[j.serial] != 1 {
				t.Errorf("token %s has %d certificates on record", j.serial, issued[j.serial])
			}
			revoked[j.certificate] = j.revoked
		}
	}
	s.compareCRLs(t, revoked)
	s.compareVault(t, recorded, held)
	for _, entries := range log {
		for _, e := range entries {
			s.compareHooks(t, hooks, e)
		}
	}
	s.verify(t)
	t.Logf("%d tokens went through their lives", jobs)
}

// entries is the audit log, by action and target.
func (s *site) entries(t *testing.T) map[string][]m {
	t.Helper()
	out := map[string][]m{}
	for _, action := range []string{"hwkey.", "certificate."} {
		for _, e := range s.admin.all(t, "/api/admin/audit?limit=500&outcome=success&action="+action) {
			key := e["action"].(string) + " " + e["target_id"].(string)
			out[key] = append(out[key], e)
		}
	}
	return out
}

// compareJob: what was done once is on record once; a release, as often as one
// was answered, or more: of some the answer was lost.
func compareJob(t *testing.T, j job, device, certificate m, log map[string][]m) {
	t.Helper()
	once := map[string]string{
		"hwkey.registered": j.serial, "hwkey.rotation_started": j.serial, "hwkey.rotation_committed": j.serial, "hwkey.enrolled": j.serial,
		"certificate.issued": j.certificate,
	}
	releases := j.releases
	if j.resumed { // its start may have failed after the vault took it: then nobody was told a secret by it, but by the reading
		delete(once, "hwkey.rotation_started")
		releases++
	}
	if j.revoked {
		once["certificate.revoked"] = j.certificate
	}
	for action, target := range once {
		if n := len(log[action+" "+target]); n != 1 {
			t.Errorf("%s of %s stands %d times in the log", action, target, n)
		}
	}
	if n := len(log["hwkey.secrets_released "+j.serial]); n < releases {
		t.Errorf("%d releases of %s were answered, %d are on record", releases, j.serial, n)
	}
	if secrets, _ := device["secrets"].(m); device["status"] != "active" || secrets["rotation_pending"] != false {
		t.Errorf("token %s: %v", j.serial, device)
	}
	if (certificate["status"] == "revoked") != j.revoked || certificate["hwkey_serial"] != j.serial {
		t.Errorf("certificate %s: %v", j.certificate, certificate)
	}
}

// compareCRLs: each server serves what was revoked, and nothing else.
func (s *site) compareCRLs(t *testing.T, revoked map[string]bool) {
	t.Helper()
	for n := range s.servers {
		c := s.at(t, n)
		await.That(t, fmt.Sprintf("the CRL of server %d is right", n), func() bool {
			listed := crl(t, c)
			for serial, is := range revoked {
				if listed[serial] != is {
					return false
				}
			}
			return true
		})
	}
}

// crl are the serial numbers on a server's list.
func crl(t *testing.T, c *client) map[string]bool {
	t.Helper()
	req := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, c.base+"/api/pki/crl", nil))(t)
	res := must.Get(c.through.RoundTrip(req))(t)
	defer func() { _ = res.Body.Close() }()
	der := must.Get(io.ReadAll(res.Body))(t)
	list, err := x509.ParseRevocationList(der)
	if err != nil {
		t.Fatalf("%d %s: %v", res.StatusCode, der, err)
	}
	out := map[string]bool{}
	for _, e := range list.RevokedCertificateEntries {
		out[hexOf(e.SerialNumber.Bytes())] = true
	}
	return out
}

func hexOf(b []byte) string { return fmt.Sprintf("%x", b) }

// compareHooks: each entry that the receiver wants is told in one message,
// however often that one was sent.
func (s *site) compareHooks(t *testing.T, hooks *receiver, entry m) {
	t.Helper()
	if entry["action"] != hooked {
		return
	}
	id := int64(entry["id"].(float64))
	await.That(t, fmt.Sprintf("the receiver hears of entry %d", id), func() bool { return len(hooks.of(id)) > 0 })
	if n := len(hooks.of(id)); n != 1 {
		t.Errorf("entry %d was told in %d messages", id, n)
	}
}

// verify has the whole audit log checked, by command, after the servers have
// sealed the rest of it.
func (s *site) verify(t *testing.T) {
	t.Helper()
	for _, r := range s.servers {
		r.Stop(t)
	}
	cmd := exec.Command(filepath.Join(bin, "keyward"), "audit", "verify")
	cmd.Env = s.servers[0].env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("audit verify: %v\n%s", err, out)
	}
	t.Logf("%s: %s", nginx.Host, out)
}
