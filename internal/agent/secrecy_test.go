//go:build linux

package agent

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/tryout/vtoken"
)

// spy repeatedly reads the command line and environment of every process on the
// machine: it sees each run of the tool many times.
type spy struct {
	secrets []string
	stop    chan struct{}
	done    sync.WaitGroup

	found []string // where a secret was seen
	tools int      // sightings of a running ykman
}

func newSpy(secrets ...string) *spy {
	s := &spy{secrets: secrets, stop: make(chan struct{})}
	s.done.Go(func() {
		for {
			select {
			case <-s.stop:
				return
			case <-time.After(10 * time.Millisecond):
				s.look()
			}
		}
	})
	return s
}

func (s *spy) look() {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		panic(err)
	}
	for _, cmdline := range files {
		s.read(cmdline)
		s.read(strings.TrimSuffix(cmdline, "cmdline") + "environ")
	}
}

func (s *spy) read(name string) {
	text, err := os.ReadFile(name)
	if err != nil {
		return // the process has gone
	}
	if bytes.Contains(text, []byte("ykman")) {
		s.tools++
	}
	for _, secret := range s.secrets {
		if bytes.Contains(bytes.ToLower(text), []byte(secret)) {
			s.found = append(s.found, name)
		}
	}
}

func (s *spy) end(t *testing.T) {
	t.Helper()
	close(s.stop)
	s.done.Wait()
	if s.tools == 0 {
		t.Error("the spy never saw the tool: the test proves nothing")
	}
	if len(s.found) > 0 {
		t.Errorf("a secret stood in %v", s.found)
	}
}

// TestNoSecretEscapes runs every operation that takes secrets, with success and
// failure, and searches for the secrets in every process's command line and
// environment, in the log, in the responses, and in the tool's files.
func TestNoSecretEscapes(t *testing.T) {
	// These values occur nowhere else, whatever runs on the machine meanwhile.
	const (
		pinA, pinB, pukA = "q7Zk3v9X", "w8Yj4u0W", "e9Xh5t1V"
		keyA             = "5eca1e05d00dfeed5eca1e05d00dfeed5eca1e05d00dfeed"
		keyB             = "0ddba115bead5eed0ddba115bead5eed0ddba115bead5eed"
	)
	t.Setenv("TMPDIR", t.TempDir())
	h := host(t, vtoken.Options{})
	a := startCold(t, h, Config{})
	s := newSpy(strings.ToLower(pinA), strings.ToLower(pinB), strings.ToLower(pukA), keyA, keyB)

	var answers strings.Builder
	post := func(path string, status int, body m) {
		t.Helper()
		body["encrypted"], body["serial"] = true, serial
		out := a.post(t, path, body)
		if out.status != status {
			t.Errorf("%s: %d %s, want %d", path, out.status, out.raw, status)
		}
		answers.WriteString(out.raw)
	}
	for _, wrong := range []bool{true, false} {
		status := 200
		currentPIN, currentPUK, currentKey := piv.FactoryPIN, piv.FactoryPUK, piv.FactoryManagementKey
		if wrong {
			status, currentPIN, currentPUK, currentKey = 422, pinA, pukA, keyA
		}
		post("/piv/rotate-management-key", status, m{"management_key": key(t, keyB), "current_management_key": key(t, currentKey)})
		post("/piv/set-puk", status, m{"puk": puk(t, pukA), "current_puk": puk(t, currentPUK)})
		post("/piv/set-pin", status, m{"pin": pin(t, pinB), "current_pin": pin(t, currentPIN)})
	}
	post("/piv/probe", 200, m{"field": "management_key", "candidates": []string{key(t, keyA), key(t, keyB)}})
	post("/piv/probe", 200, m{"field": "pin", "candidates": []string{pin(t, pinA), pin(t, pinB)}})
	post("/piv/unblock-pin", 200, m{"puk": puk(t, pukA), "pin": pin(t, pinA)})
	out := a.works(t, "/piv/generate-csr",
		m{"encrypted": true, "serial": serial, "pin": pin(t, pinA), "management_key": key(t, keyB), "subject": m{"common_name": "ann"}})
	post("/piv/import-certificate", 200, m{"management_key": key(t, keyB), "certificate": issue(t, parseCSR(t, out["csr"]).PublicKey)})
	post("/piv/set-retries", 200, m{"management_key": key(t, keyB), "pin": pin(t, pinA), "pin_retries": 3, "puk_retries": 3})
	s.end(t)

	for name, text := range map[string]string{"log": a.log.String(), "answers": answers.String()} {
		for _, secret := range []string{pinA, pinB, pukA, keyA, keyB} {
			if strings.Contains(text, secret) {
				t.Errorf("a secret stands in the %s", name)
			}
		}
	}
	searchFiles(t, os.Getenv("TMPDIR"), pinA, pinB, pukA, keyA, keyB)
}

// searchFiles searches the tool's private folder.
func searchFiles(t *testing.T, root string, secrets ...string) {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(root, "keyward-agent-*"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("the tool's private folder is not where the test looks: %v", err)
	}
	for _, folder := range folders {
		if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the tool's folder is not private: %v %v", info, err)
		}
		err := filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			for _, secret := range secrets {
				if strings.Contains(string(text), secret) {
					t.Errorf("a secret stands in %s", path)
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
