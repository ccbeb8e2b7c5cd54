package web

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/test/socketdir"
)

// newShelf is a folder of programs with many other files that must not be offered.
func newShelf(t *testing.T) (h http.Handler, folder string) {
	t.Helper()
	top := socketdir.New(t)
	folder = filepath.Join(top, "programs")
	for name, content := range map[string]string{
		"outside":                                    "not for you",
		"programs/keyward":                           "the server",
		"programs/seal.key":                          "a secret",
		"programs/.keyward-agent":                    "hidden",
		"programs/keyward-agent-darwin/x":            "below",
		"programs/keyward-agent-windows-x64.exe":     "for Windows",
		"programs/keyward-agent_1.2_macos_arm64.pkg": "for a Mac",
		"programs/keyward-agent":                     "for anybody",
		"programs/keyward-agent.env":                 "SECRET=1",
		"programs/keyward-agent.key":                 "a secret",
		"programs/keyward-agent-linux-amd64.log":     "who did what",
	} {
		at := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"keyward-agent-linux-arm64": "../outside", "keyward-agent-linux-amd64": "keyward-agent"} {
		if err := os.Symlink(target, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	// Not a regular file: reading it would block forever, or fail.
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(folder, "keyward-agent-windows")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	o := testOptions
	o.Downloads = folder
	s, err := newSite(testTree(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s, folder
}

func list(t *testing.T, h http.Handler) []Download {
	t.Helper()
	res := get(t, h, "GET", "/downloads/")
	var out Downloads
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil || res.StatusCode != http.StatusOK || out.Items == nil {
		t.Fatalf("%d %v", res.StatusCode, err)
	}
	return out.Items
}

func TestDownloads(t *testing.T) {
	t.Parallel()
	h, _ := newShelf(t)
	want := []Download{
		{Name: "keyward-agent", SizeBytes: 11},
		{Name: "keyward-agent-linux-amd64", OS: "linux", Arch: "amd64", SizeBytes: 11},
		{Name: "keyward-agent-windows-x64.exe", OS: "windows", Arch: "amd64", SizeBytes: 11},
		{Name: "keyward-agent_1.2_macos_arm64.pkg", OS: "darwin", Arch: "arm64", SizeBytes: 9},
	}
	got := list(t, h)
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i, d := range got {
		res := get(t, h, "GET", "/downloads/"+d.Name)
		content := body(t, res)
		sum := sha256.Sum256([]byte(content))
		if d.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: its sum is another", d.Name)
		}
		d.SHA256 = ""
		if d != want[i] {
			t.Errorf("got %+v, want %+v", d, want[i])
		}
		hd := res.Header
		if res.StatusCode != http.StatusOK || hd.Get("Content-Disposition") != `attachment; filename="`+d.Name+`"` || hd.Get("Content-Type") != "application/octet-stream" ||
			hd.Get("X-Content-Type-Options") != "nosniff" || hd.Get("Content-Security-Policy") != bare {
			t.Errorf("%s: %d %v", d.Name, res.StatusCode, hd)
		}
		if again := get(t, h, "GET", "/downloads/"+d.Name, "If-None-Match", hd.Get("Etag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s again: %d", d.Name, again.StatusCode)
		}
		if head := get(t, h, "HEAD", "/downloads/"+d.Name); head.StatusCode != http.StatusOK ||
			head.Header.Get("Content-Length") != strconv.FormatInt(d.SizeBytes, 10) || body(t, head) != "" {
			t.Errorf("HEAD %s: %d %v", d.Name, head.StatusCode, head.Header)
		}
	}
	if res := get(t, h, "POST", "/downloads/"); res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", res.StatusCode)
	}
}

// TestNoWayOut: nothing except the agent's programs leaves the folder.
func TestNoWayOut(t *testing.T) {
	t.Parallel()
	h, folder := newShelf(t)
	for _, target := range []string{
		"/downloads/keyward", "/downloads/seal.key", "/downloads/.keyward-agent",
		"/downloads/keyward-agent.env", "/downloads/keyward-agent.key", "/downloads/keyward-agent-linux-amd64.log",
		"/downloads/keyward-agent-linux-arm64", "/downloads/keyward-agent-darwin", "/downloads/keyward-agent-darwin/",
		"/downloads/keyward-agent-darwin/x",
		"/downloads/keyward-agent-windows", "/downloads/keyward-agent-macos", "/downloads/keyward-agent/",
		"/downloads/../outside", "/downloads/..%2foutside", "/downloads/%2e%2e/outside", "/downloads/..%5coutside",
		"/downloads/keyward-agent-darwin/../../outside", "/downloads/keyward-agent-darwin%2f..%2f..%2foutside", "/downloads/keyward-agent%00",
		"/downloads//keyward-agent", "/downloads/%2f" + strings.TrimPrefix(folder, "/") + "/keyward-agent",
		"/downloads/./keyward-agent", "/downloads/KEYWARD-AGENT", "/downloads/keyward-agent*", "/downloads/policies/",
		"/downloads/policies/linux.json/x",
	} {
		if res := get(t, h, "GET", target); res.StatusCode != http.StatusNotFound ||
			res.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s", target, res.StatusCode, body(t, res))
		}
	}
}

// TestChangedProgram: a replaced program is offered in its new form.
func TestChangedProgram(t *testing.T) {
	t.Parallel()
	h, folder := newShelf(t)
	before := list(t, h)
	at := filepath.Join(folder, "keyward-agent")
	if err := os.WriteFile(at, []byte("for nobody!"), 0o600); err != nil { // same length as before
		t.Fatal(err)
	}
	if err := os.Chtimes(at, time.Time{}, time.Unix(1_900_000_000, 0)); err != nil {
		t.Fatal(err)
	}
	after := list(t, h)
	if before[0].Name != after[0].Name || before[0].SHA256 == after[0].SHA256 {
		t.Errorf("before %+v\nafter  %+v", before[0], after[0])
	}
}

// TestOwnPlatform: the platform of our programs comes from their build information.
func TestOwnPlatform(t *testing.T) {
	t.Parallel()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(own)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	h, folder := newShelf(t)
	out, err := os.Create(filepath.Join(folder, "keyward-agent"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if got := list(t, h)[0]; got.Name != "keyward-agent" || got.OS != runtime.GOOS || got.Arch != runtime.GOARCH {
		t.Errorf("got %+v", got)
	}
}

func TestNoFolder(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"", filepath.Join(t.TempDir(), "gone")} {
		o := testOptions
		o.Downloads = folder
		h, err := newSite(testTree(), o)
		if err != nil {
			t.Fatal(err)
		}
		if got := list(t, h); len(got) != 0 {
			t.Errorf("%q: %+v", folder, got)
		}
		if res := get(t, h, "GET", "/downloads/keyward-agent"); res.StatusCode != http.StatusNotFound {
			t.Errorf("%q: %d", folder, res.StatusCode)
		}
	}
}

// TestProgramNames: other files that may lie beside the agent's programs do not match.
func TestProgramNames(t *testing.T) {
	t.Parallel()
	for name, offered := range map[string]bool{
		"keyward-agent": true, "keyward-agent-linux": true, "keyward-agent-linux-amd64": true, "keyward-agent_darwin_arm64": true,
		"keyward-agent_1.2_macos_arm64": true, "keyward-agent-v1.2.3-linux-aarch64": true, "keyward-agent.exe": true,
		"keyward-agent-windows-amd64.exe": true, "keyward-agent-setup.msi": true, "keyward-agent_1.2-1_amd64.deb": true,
		"keyward-agent-1.2-1.x86_64.rpm": true, "keyward-agent-1.2+a.dmg": true, "keyward-agent.pkg": true,
		"keyward-agent.zip": true, "keyward-agent.tar.gz": true,

		"keyward-agent.env": false, "keyward-agent.key": false, "keyward-agent.log": false, "keyward-agent.txt": false,
		"keyward-agent.log.gz": false,
		"keyward-agent-key":    false, "keyward-agent-20261121": false, "keyward-agent-linux-amd64.key": false,
		"keyward-agent-linux-amd64~":    false,
		"keyward-agent-linux-amd64-old": false, "keyward-agent.exe.bak": false, "keyward-agent.exe.log": false, "keyward-agent.json": false,
		"keyward-agentexe": false, "keyward-agents.zip": false, "keyward-agent\n": false, "keyward-agent-a b.zip": false,
		"old-keyward-agent": false,
		"keyward-agent-" + strings.Repeat("a", 101) + ".zip": false,
	} {
		if got := programName.MatchString(name); got != offered {
			t.Errorf("%q: offered %t", name, got)
		}
	}
}
