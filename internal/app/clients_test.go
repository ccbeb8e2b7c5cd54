package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/engine"
)

// TestNamedAsPeopleCopyThem: serial numbers as openssl and a zero-padded list write
// them.
func TestNamedAsPeopleCopyThem(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	admin := w.tokens["admin"]
	var pairs []string
	for i := 0; i < len(w.serial); i += 2 {
		pairs = append(pairs, w.serial[i:i+2])
	}
	for _, name := range []string{strings.ToUpper(w.serial), strings.Join(pairs, ":"), strings.ToUpper(strings.Join(pairs, ":"))} {
		if out := w.must(200, "GET", "/api/certificates/"+name, admin, nil); out["serial_number"] != w.serial {
			t.Errorf("%s: %v", name, out["serial_number"])
		}
	}
	w.must(404, "GET", "/api/certificates/"+strings.Join(pairs, "-"), admin, nil)

	made := w.must(201, "POST", "/api/hwkey", admin, fields{"serial": "0053000001"})
	if made["serial"] != "53000001" {
		t.Errorf("registered as %v", made["serial"])
	}
	for _, name := range []string{"53000001", "0053000001", "00053000001"} {
		w.must(409, "POST", "/api/hwkey", admin, fields{"serial": name})
		if out := w.must(200, "PATCH", "/api/hwkey/"+name, admin, fields{"label": name}); out["serial"] != "53000001" {
			t.Errorf("%s is %v", name, out["serial"])
		}
		if _, out := w.upload("admin", "/api/hwkey/import", "text/csv", "Serial,Label\n"+name+","+name+"\n"); out["unchanged"] != 1.0 {
			t.Errorf("%s imported: %v", name, out)
		}
		if out := w.must(200, "GET", "/api/certificates?hwkey_serial="+name, admin, nil); out["total"] != 0.0 {
			t.Errorf("certificates of %s: %v", name, out)
		}
	}
	w.must(400, "POST", "/api/hwkey", admin, fields{"serial": "00012"})
	w.must(404, "GET", "/api/hwkey/0000", admin, nil)
	if out := w.must(200, "GET", "/api/hwkey/000010000/secrets?reason=test", w.tokens["a-user"], nil); out["serial"] != "10000" {
		t.Errorf("sealed with a label of %v", out["serial"])
	}
	r := w.must(201, "POST", "/api/hwkey/000010000/rotations", w.tokens["a-user"], fields{"fields": []string{"pin"}})
	if r["serial"] != "10000" {
		t.Errorf("a rotation of %v", r["serial"])
	}

	// A serial stored with zeros keeps its name, and is found by it first.
	engine.Execute(t, w.cfg.Data, "UPDATE hwkeys SET serial = '0053000001', serial_key = '0053000001' WHERE serial = '53000001'")
	w.must(201, "POST", "/api/hwkey", admin, fields{"serial": "53000001"})
	for name, want := range map[string]string{"0053000001": "0053000001", "53000001": "53000001", "00053000001": "53000001"} {
		if out := w.must(200, "GET", "/api/hwkey/"+name, admin, nil); out["serial"] != want {
			t.Errorf("%s is %v, want %s", name, out["serial"], want)
		}
	}
	_, out := w.upload("admin", "/api/hwkey/import", "text/csv", "serial\n0053000001\n53000001\n00053000001\n")
	if out["unchanged"] != 2.0 || out["failed"] != 1.0 {
		t.Errorf("both imported: %v", out)
	}
}

// TestBackupPages: the list of backups continues where the previous page ended.
func TestBackupPages(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	admin := w.tokens["admin"]
	w.must(200, "PUT", "/api/backup/settings", admin, fields{"encryption_password": "a long enough password"})
	for n := range 3 {
		await.That(t, "that no other job runs", func() bool {
			status, _ := w.call("POST", "/api/backup/trigger", admin, fields{"type": "database"})
			return status == 202
		})
		await.That(t, "a backup", func() bool {
			return w.must(200, "GET", "/api/backup/list", admin, nil)["total"] == float64(n+1)
		})
	}
	all := w.must(200, "GET", "/api/backup/list", admin, nil)
	var keys []string
	for path := "/api/backup/list?limit=1"; ; {
		out := w.must(200, "GET", path, admin, nil)
		for _, item := range out["items"].([]any) {
			keys = append(keys, item.(map[string]any)["key"].(string))
		}
		next, more := out["next_cursor"].(string)
		if !more {
			break
		}
		path = "/api/backup/list?limit=1&cursor=" + next
	}
	for i, item := range all["items"].([]any) {
		if len(keys) != 3 || keys[i] != item.(map[string]any)["key"] {
			t.Fatalf("%v, want as in %v", keys, all["items"])
		}
	}
	for _, cursor := range []string{"x", "AwAAAAAAAAAB"} {
		w.must(400, "GET", fmt.Sprint("/api/backup/list?cursor=", cursor), admin, nil)
	}
}
