//go:build exhaustive

package containers

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/host"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

const user = 65532

// TestImage: the image holds one static program. Podman builds it, and runs it as its user, with a
// read-only root, no privileges and 512 MiB: alone, and as compose.yaml does.
func TestImage(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	e.build(t, "v1.2.3")
	checkRoot(t, strings.TrimSpace(must.Get(run(e.podman(t, "image", "mount", "keyward")))(t)))
	compose := composed(t, prepared(t)).Services["keyward"]
	t.Run("alone", func(t *testing.T) { runsAlone(t, e, compose) })
	t.Run("with others", func(t *testing.T) { runsWithOthers(t, e, compose) })
}

// checkRoot: there is nothing else, above all no shell, and only the data directory is the
// user's.
func checkRoot(t *testing.T, root string) {
	t.Helper()
	want := []string{
		"drwxr-xr-x 0 etc", "-rw-r--r-- 0 etc/group", "-rw-r--r-- 0 etc/passwd", "drwxr-xr-x 0 etc/ssl",
		"drwxr-xr-x 0 etc/ssl/certs", "-rw-r--r-- 0 etc/ssl/certs/ca-certificates.crt", "drwxr-xr-x 0 usr", "drwxr-xr-x 0 usr/bin",
		"-rwxr-xr-x 0 usr/bin/keyward", "drwxr-xr-x 0 usr/share", "drwxr-xr-x 0 usr/share/doc", "drwxr-xr-x 0 usr/share/doc/keyward",
		"-rw-r--r-- 0 usr/share/doc/keyward/LICENSE", "-rw-r--r-- 0 usr/share/doc/keyward/NOTICE", "drwxr-xr-x 0 var", "drwxr-xr-x 0 var/lib",
		"drwx------ 65532 var/lib/keyward",
	}
	var got []string
	must.OK(t, fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		got = append(got, fmt.Sprintf("%s %d %s", info.Mode(), info.Sys().(*syscall.Stat_t).Uid, path))
		return nil
	}))
	if !slices.Equal(got, want) {
		t.Errorf("the image holds\n%s\nand not\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	program := must.Get(elf.Open(filepath.Join(root, "usr/bin/keyward")))(t)
	defer func() { must.OK(t, program.Close()) }()
	for _, part := range program.Progs {
		if part.Type == elf.PT_INTERP || part.Type == elf.PT_DYNAMIC {
			t.Error("the program needs a loader or libraries")
		}
	}
}

// runsAlone: with its own database and vault, on a volume as Kubernetes makes it for fsGroup, and
// with the chart's DATA.
func runsAlone(t *testing.T, e engine, as service) {
	c := e.start(t, "alone", as, []string{
		"--network", "none", "--env", "DATA=/var/lib/keyward/data",
		"--volume", volume(t, 0, user, 0o777|os.ModeSetgid) + ":/var/lib/keyward",
	})
	c.isHealthy(t, "v1.2.3")
	c.isConfined(t)
	const base = "http://127.0.0.1:8080"
	for _, path := range []string{"/livez", "/readyz"} {
		status := must.Get(run(exec.CommandContext(t.Context(), "nsenter", "--net="+c.proc(t, "ns/net"), "--",
			"curl", "--silent", "--output", "/dev/null", "--write-out", "%{http_code}", base+path)))(t)
		if status != "200" {
			t.Errorf("%s is answered %s", path, status)
		}
	}
	first := strings.TrimSpace(must.Get(c.exec(t, nil, "keyward", "admin", "reset-password", "--username", "admin"))(t))
	must.Get(c.exec(t, []string{first, first + " and more"}, "keyward", "passwd", "--server", base, "--username", "admin"))(t)
	c.createsUser(t, base, first+" and more")
	c.ends(t)
}

// isHealthy waits until the image's own health check succeeds.
func (c *container) isHealthy(t *testing.T, version string) {
	t.Helper()
	var said string
	check := containerfile(t).Healthcheck.Test[1:]
	await.That(t, "its health check succeeds", func() bool {
		select {
		case <-c.Ended:
			t.Fatal("it has ended")
		default:
		}
		var err error
		said, err = c.exec(t, nil, check...)
		return err == nil
	})
	if !strings.Contains(said, "ok version="+version+" ") {
		t.Errorf("its health check says %s", said)
	}
	if strings.Contains(c.Log.String(), "the memory limit is below") {
		t.Error("512 MiB are not enough")
	}
}

// isConfined: it is the image's user, without any privilege, within its memory, and its root
// can't be changed even by root.
func (c *container) isConfined(t *testing.T) {
	t.Helper()
	status := string(must.Get(os.ReadFile(c.proc(t, "status")))(t))
	for _, line := range []string{
		"Uid:\t65532\t65532\t65532\t65532", "Gid:\t65532\t65532\t65532\t65532", "CapBnd:\t0000000000000000", "CapEff:\t0000000000000000",
		"NoNewPrivs:\t1", "Seccomp:\t2",
	} {
		if !strings.Contains(status, line+"\n") {
			t.Errorf("not %q:\n%s", line, status)
		}
	}
	if err := os.WriteFile(c.proc(t, "root/etc/passwd"), nil, 0o600); !errors.Is(err, syscall.EROFS) {
		t.Errorf("its root can be written: %v", err)
	}
	group := must.Get(run(c.podman(t, "inspect", "--format", "{{.State.CgroupPath}}", c.name)))(t)
	limits := must.Get(filepath.Glob("/sys/fs/cgroup/memory" + strings.TrimSpace(group) + "/memory.limit_in_bytes"))(t) // version 1
	limits = append(limits, must.Get(filepath.Glob("/sys/fs/cgroup"+strings.TrimSpace(group)+"/memory.max"))(t)...)     // version 2
	if len(limits) != 1 || strings.TrimSpace(string(must.Get(os.ReadFile(limits[0]))(t))) != "536870912" {
		t.Errorf("its limit is in %v", limits)
	}
	if _, err := c.exec(t, nil, "/bin/sh", "-c", "true"); err == nil {
		t.Error("there is a shell")
	}
}

// createsUser signs in.
func (c *container) createsUser(t *testing.T, server, password string) {
	t.Helper()
	must.Get(c.exec(t, []string{password, "jdoe's password of the test"}, "keyward", "user", "create", "--server", server, "--as", "admin",
		"--username", "jdoe", "--email", "jdoe@example.org"))(t)
}

func (c *container) ends(t *testing.T) {
	t.Helper()
	c.Stop(t)
	if code := c.Wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// runsWithOthers does what docs/containers.md says of compose.yaml, with a PostgreSQL and a
// Vault of this machine: keyward vault setup, then the server.
func runsWithOthers(t *testing.T, e engine, as service) {
	vault, postgres := vaultserver.Shared(t), postgrestest.Start(t, postgrestest.Options{Listen: host.Address()})
	must.OK(t, postgres.Run(t.Context(), "CREATE DATABASE keyward"))
	secrets := volume(t, 0, 0, 0o755)
	files := map[string]string{
		"database-url": postgres.URLAt(postgres.Address(), "keyward"), "openbao-ca.pem": string(vault.CACert), "operator-token": vault.Root,
		"admin-password": "the first password of the test",
	}
	for name, content := range files {
		must.OK(t, os.WriteFile(filepath.Join(secrets, name), []byte(content), 0o644)) // #nosec G306 -- as deploy/compose/prepare does
	}
	options := []string{
		"--network", "host", "--volume", secrets + ":/run/secrets:ro", "--volume", volume(t, user, user, 0o700) + ":/var/lib/keyward",
	}
	for name, value := range as.Environment {
		if name == "VAULT_ADDR" {
			value = vault.Address
		}
		options = append(options, "--env", name+"="+value)
	}
	setup := e.start(t, "setup", as, append(options, "--env", "VAULT_TOKEN_FILE=/run/secrets/operator-token"),
		"vault", "setup", "--apply", "--credentials", "/var/lib/keyward/vault")
	if code := setup.Wait(t); code != 0 {
		t.Fatalf("keyward vault setup ended with %d", code)
	}
	c := e.start(t, "server", as, append(options, "--env", "LISTEN=127.0.0.1:0", "--env", "METRICS_LISTEN=off", "--env", "DRAIN_DELAY=0s"))
	base := "http://" + c.Announces(t, `"listen":"`, `"`)
	c.isConfined(t)
	c.createsUser(t, base, files["admin-password"])
	c.ends(t)
}
