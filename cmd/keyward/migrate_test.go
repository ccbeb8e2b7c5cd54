package main

import (
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/store/postgrestest"
)

// TestMigrateNewPostgres: the command creates the tables in a new database, with a
// server's settings, of which it only needs the database's.
func TestMigrateNewPostgres(t *testing.T) {
	t.Parallel()
	env := map[string]string{"DATABASE_URL": postgrestest.Empty(t), "VAULT_ADDR": "https://vault.example.org"}
	for _, c := range []struct {
		code      int
		out, errs string
		args      []string
	}{
		{1, "", "the database has schema version 0", []string{"migrate", "--check"}},
		{0, ": updated from 0\n", "", []string{"migrate"}},
		{0, ": up to date\n", "", []string{"migrate"}},
		{0, ": up to date\n", "", []string{"migrate", "--check"}},
		{1, "", "no such user", []string{"admin", "unlock", "--username", "nobody"}},
	} {
		code, out, errs := run(t, env, append(c.args, "--data", t.TempDir())...)
		if code != c.code || !strings.Contains(out, c.out) || !strings.Contains(errs, c.errs) || (out == "") != (c.out == "") {
			t.Errorf("%v: %d %q %q", c.args, code, out, errs)
		}
	}
}
