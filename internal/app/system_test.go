package app_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

func (s *server) system(token, what string) map[string]any {
	s.t.Helper()
	return s.must(200, "GET", "/api/admin/system/"+what, token, nil)
}

func components(report map[string]any) map[string]any {
	out := map[string]any{}
	for _, c := range report["components"].([]any) {
		c := c.(map[string]any)
		out[c["name"].(string)] = c["status"]
	}
	return out
}

// TestSystem reads every report of a running server.
func TestSystem(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	admin := w.tokens["admin"]
	key, _ := w.apiKey("admin", map[string]any{"name": "monitor", "role": "global_admin"})
	// The disk's free space depends on the machine, and a busy machine may keep one
	// component waiting for a moment.
	for _, name := range []string{"database", "vault", "ca_crl", "audit_sealing", "webhooks", "background_tasks"} {
		await.That(w.t, name+" is well", func() bool { return components(w.system(key, "health"))[name] == "ok" })
	}
	await.That(t, "the disk was looked at", func() bool {
		disk := components(w.system(key, "health"))["disk"]
		return disk != nil && disk != "timed_out"
	})

	info := w.system(admin, "info")
	started, err := time.Parse(time.RFC3339Nano, info["started_at"].(string))
	up, err2 := time.ParseDuration(info["uptime"].(string))
	if err != nil || err2 != nil || time.Since(started) > time.Minute || up > time.Minute || up != up.Truncate(time.Second) ||
		info["version"] != "test" || !strings.HasPrefix(info["site_url"].(string), "http://localhost:") {
		t.Errorf("info %v", info)
	}

	await.That(t, "it leads", func() bool { return w.system(admin, "info")["leads"] == true })

	rows := map[string]any{}
	database := w.system(admin, "database")
	for _, r := range database["tables"].([]any) {
		rows[r.(map[string]any)["name"].(string)] = r.(map[string]any)["rows"]
	}
	if database["engine"] != engine.Name() || database["size_bytes"].(float64) < 4096 || rows["users"] != 5.0 ||
		rows["hwkeys"] != 3.0 || rows["certificates"] != 1.0 {
		t.Errorf("database %v", database)
	}

	vault := w.system(admin, "vault")
	ca, crl := vault["ca"].(map[string]any), vault["crl"].(map[string]any)
	vaultEngine, vaultFile := "embedded", true
	if vaultserver.Wanted(t) {
		vaultEngine, vaultFile = "vault", false
	}
	if vault["engine"] != vaultEngine || vault["state"] != "connected" || ca["key_type"] != "ec-p256" ||
		!strings.Contains(ca["subject"].(string), "Keyward Root CA") {
		t.Errorf("vault %v", vault)
	}
	w.must(200, "POST", "/api/certificates/"+w.serial+"/revoke", admin, nil)
	if after := w.system(admin, "vault")["crl"].(map[string]any)["number"].(float64); after <= crl["number"].(float64) {
		t.Errorf("the CRL's number was %v and is %v", crl["number"], after)
	}

	data := w.system(admin, "storage")["data"].(map[string]any)
	files, sum := map[string]bool{}, 0.0
	for _, f := range data["files"].([]any) {
		files[f.(map[string]any)["name"].(string)] = true
		sum += f.(map[string]any)["size_bytes"].(float64)
	}
	if files["keyward.db"] == engine.OnPostgres() || files["vault.db"] != vaultFile || sum != data["used_bytes"] ||
		data["free_bytes"].(float64) <= 0 ||
		data["total_bytes"].(float64) < data["free_bytes"].(float64) {
		t.Errorf("storage %v", data)
	}
	if nothing := w.system(admin, "storage")["backup_store"].(map[string]any)["status"]; nothing != "not_configured" {
		t.Errorf("what is not there is %v", nothing)
	}
	license := w.system(admin, "license")
	if license["status"] != "ok" || license["license"] != "TRIAL" || license["service"] != "embedded" || license["detail"] != "" {
		t.Errorf("license %v", license)
	}
}

// TestSystemJobs: every background task has run, and a failing one is reported, also in
// the health report.
func TestSystemJobs(t *testing.T) {
	t.Parallel()
	s := start(t, testConfig(t, t.TempDir()))
	admin, _ := s.login("admin", adminPassword)
	await.That(s.t, "every task has run", func() bool {
		for _, j := range s.system(admin, "jobs")["items"].([]any) {
			if j := j.(map[string]any); j["last_outcome"] != "success" && (j["continuous"] != true || j["running"] != true) {
				return false
			}
		}
		return true
	})
	jobs := s.system(admin, "jobs")["items"].([]any)
	if len(jobs) < 5 {
		t.Errorf("%d tasks", len(jobs))
	}
	for _, j := range jobs {
		j := j.(map[string]any)
		for _, language := range []string{"en", "de"} {
			texts := string(must.Get(os.ReadFile("../../ui/src/text/" + language + "/system.ts"))(t))
			if !strings.Contains(texts, `"`+j["name"].(string)+`": "`) {
				t.Errorf("the page has no name in %q for the task %q", language, j["name"])
			}
		}
		done := j["last_finished_at"] != nil || j["continuous"] == true
		if _, err := time.ParseDuration(j["interval"].(string)); err != nil || j["last_started_at"] == nil || !done ||
			j["last_error"] != nil || j["elsewhere"] != false {
			t.Errorf("task %v", j)
		}
	}
}
