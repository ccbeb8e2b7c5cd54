//go:build exhaustive

package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/process"
)

// container is a control group that limits the memory of its processes. Creating one
// needs root.
func container(t *testing.T, mib int) (join string) {
	t.Helper()
	root, limit := "/sys/fs/cgroup/memory", "memory.limit_in_bytes" // version 1
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil {
		root, limit = "/sys/fs/cgroup", "memory.max"
	}
	dir := filepath.Join(root, fmt.Sprintf("keyward-test-%d-%d", os.Getpid(), mib))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatalf("this test makes a control group, so it needs root: %v", err)
	}
	t.Cleanup(func() { must.OK(t, os.Remove(dir)) })
	must.OK(t, os.WriteFile(filepath.Join(dir, limit), []byte(strconv.Itoa(mib<<20)), 0o600))
	return filepath.Join(dir, "cgroup.procs")
}

// TestSignInsInLittleMemory: many concurrent sign-ins wait, and the kernel kills
// nothing, with the documented memory and with less.
func TestSignInsInLittleMemory(t *testing.T) {
	t.Parallel()
	for _, mib := range []int{256, 512} {
		t.Run(fmt.Sprint(mib, " MiB"), func(t *testing.T) {
			t.Parallel()
			join := container(t, mib)
			cmd := exec.Command("sh", "-c", `echo $$ >"$0" && exec "$@"`, join, filepath.Join(bin, "keyward"), "serve",
				"--data", t.TempDir(), "--listen", "127.0.0.1:0")
			cmd.Env = serverEnv(t.TempDir(), "RATE_LIMIT_LOGIN=6000/600")
			s := process.Start(t, "keyward in a container", cmd)
			base := "http://" + s.Announces(t, `"listen":"`, `"`)
			if warned := strings.Contains(s.Log.String(), "the memory limit is below"); warned != (mib < 512) {
				t.Errorf("with %d MiB it warns: %v", mib, warned)
			}
			turns := make(chan struct{}, 12)
			var wg sync.WaitGroup
			for n := range 60 { // an unknown user costs a hash, too, and no account has so many sign-ins at once
				wg.Go(func() {
					turns <- struct{}{}
					defer func() { <-turns }()
					status, _, out, err := send(base, http.MethodPost, "/api/auth/login", "",
						m{"username": fmt.Sprint("nobody-", n), "password": "Guess-Passw0rd-4711"})
					if err != nil || status != http.StatusUnauthorized && out["code"] != "overloaded" {
						t.Errorf("%d %v %v", status, out, err)
					}
				})
			}
			wg.Wait()
			s.Stop(t)
			if code := s.Wait(t); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}
