package replicas_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/process"
)

// newer are the next version's migrations, which are not in the repository. They do
// what is allowed alongside servers of the previous version (docs/operations.md,
// "Upgrading").
var newer = map[string]string{
	"09998_newer.sql": `-- +goose Up
ALTER TABLE hwkeys ADD COLUMN newer_text TEXT;
ALTER TABLE hwkeys ADD COLUMN newer_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE certificates ADD COLUMN newer_text TEXT NOT NULL DEFAULT 'none';
CREATE TABLE newer (hwkey_id BIGINT NOT NULL PRIMARY KEY REFERENCES hwkeys (id), text TEXT NOT NULL);
`,
	"09999_newer_index.sql": `-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS newer_hwkeys;
CREATE INDEX CONCURRENTLY newer_hwkeys ON hwkeys (newer_count);
RESET lock_timeout;
`,
}

const (
	nextVersion = "next" // the program's own version
	nextSchema  = 9999
)

// buildNext starts building a possible next version of the program: one with more
// migrations. The returned function waits for it.
func buildNext(t testing.TB) (built func() (program string)) {
	t.Helper()
	dir := t.TempDir()
	module := must.Get(filepath.Abs(root))(t)
	replace := map[string]string{}
	for name, text := range newer {
		path := filepath.Join(dir, name)
		must.OK(t, os.WriteFile(path, []byte(text), 0o600))
		replace[filepath.Join(module, "internal", "store", "migrations", "postgres", name)] = path
	}
	overlay := filepath.Join(dir, "overlay.json")
	must.OK(t, os.WriteFile(overlay, must.Get(json.Marshal(map[string]any{"Replace": replace}))(t), 0o600))
	program := filepath.Join(dir, "keyward")
	// All else is as in scripts/build, so that only packages with the migrations are
	// rebuilt.
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-overlay", overlay,
		"-ldflags", "-s -w -X main.version="+nextVersion, "-o", program, "./cmd/keyward")
	build.Dir, build.Env = module, append(os.Environ(), "CGO_ENABLED=0")
	var out []byte
	var err error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		out, err = build.CombinedOutput()
	}()
	t.Cleanup(func() { <-ended }) // its folder is removed then
	return func() string {
		t.Helper()
		if <-ended; err != nil {
			t.Fatalf("the next version does not build: %v\n%s", err, out)
		}
		return program
	}
}

// migrate migrates the schema to the next version while everybody works. The previous
// version continues, and accepts the result as its own.
func (s *site) migrate(t testing.TB, next string) {
	t.Helper()
	before := filepath.Join(bin, "keyward")
	s.command(t, 1, next, "migrate", "--check")
	s.during(t, fault{name: "the next version migrates"}, func() { s.command(t, 0, next, "migrate") }, func() {})
	for _, program := range []string{before, next} {
		said := s.command(t, 0, program, "migrate", "--check")
		if older := strings.Contains(said, "newer than this program's"); older != (program == before) {
			t.Errorf("%s migrate --check says: %s", program, said)
		}
	}
}

// command runs a program of either version on the database, as an operator does.
func (s *site) command(t testing.TB, code int, program string, args ...string) (said string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = s.servers[0].env
	p := process.Start(t, "keyward "+strings.Join(args, " "), cmd)
	if got := p.Wait(t); got != code {
		t.Fatalf("%s %v: exit code %d, want %d\n%s%s", program, args, got, code, p.Log.String(), p.Out.String())
	}
	return p.Out.String()
}

// upgrade ends a server, and starts the next version in its place.
func (s *site) upgrade(t testing.TB, n int, next string) {
	t.Helper()
	r := s.servers[n]
	f := fault{name: fmt.Sprintf("server %d is upgraded", n), answers: []string{noServer}}
	s.during(t, f, func() { r.program = next; r.end(t) }, func() { r.start(t) })
}

// runs checks for each server whether it is the next version.
func (s *site) runs(t testing.TB, next ...bool) {
	t.Helper()
	for n, want := range next {
		c := s.at(t, n)
		c.token = s.admin.token
		version := c.must(t, http.MethodGet, "/api/admin/system/info", nil)["version"].(string)
		schema := c.must(t, http.MethodGet, "/api/admin/system/database", nil)["schema_version"].(float64)
		if (version == nextVersion) != want || schema != nextSchema {
			t.Errorf("server %d is of version %s, on schema %v", n, version, schema)
		}
	}
}
