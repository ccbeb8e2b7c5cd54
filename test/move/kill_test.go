package move_test

import (
	"database/sql"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // to look into the database

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/process"
	"github.com/keyward/keyward/test/vaultserver"
)

// TestKilled kills the real program (SIGKILL) while it waits for PostgreSQL or Vault,
// at one place of the move after another. Then it completes the move, and everything is
// compared: every row, every document, the CA, the CRL, and the old directory, bit for
// bit.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir := newSource(t, 700)
	before := contents(t, dir)
	proxy := vaultserver.Shared(t).Proxy(t)
	to := newTarget(t, engine.Postgres(t), proxy.Address)
	db := must.Get(sql.Open("pgx", to.database))(t)
	defer func() { must.OK(t, db.Close()) }()

	for _, c := range []struct {
		place string
		at    func(t *testing.T, db *sql.DB, proxy *vaultserver.Proxy, start func() *process.Process)
	}{
		{"the directory is marked", whileLocked("settings")},
		{"CA", atRequest(1, "/config/ca")},
		{"the vault's mark", atRequest(1, "/data/_keyward/move")},
		{"users", whileLocked("users")},
		{"audit log", whileLocked("audit_entries")},
		{"the first documents", atRequest(1, "/secrets")},
		{"more documents", atRequest(300, "/secrets")},
		{"CRL number", atRequest(2, "/crl/rotate")},
		{"revocations", atRequest(5, "/revoke")},
		{"their CRL", atRequest(1, "/crl/rotate")},
		{"all is compared", atRequest(1, "DELETE /metadata/_keyward/move")},
	} {
		c.at(t, db, proxy, func() *process.Process { return to.move(t, dir) })
		t.Logf("killed at: %s", c.place)
		if _, err := os.Stat(filepath.Join(dir, "moved.json")); err != nil {
			t.Errorf("%s: the directory has no mark: %v", c.place, err)
		}
	}
	last := to.move(t, dir)
	if code := last.Wait(t); code != 0 || !strings.Contains(last.Log.String(), "continuing the move") {
		t.Fatalf("to the end: %d\n%s", code, last.Log.String())
	}
	if diff := changed(before, contents(t, dir)); len(diff) > 0 {
		t.Errorf("the old directory is not as it was: %q", diff)
	}
	compareRows(t, dir, to)
	compareVaults(t, dir, to)
	if again := to.move(t, dir); again.Wait(t) != 0 || !strings.Contains(again.Out.String(), "It was already moved") {
		t.Errorf("once more: %s%s", again.Out.String(), again.Log.String())
	}
}

// whileLocked blocks writes to a table, and kills the process that waits for it.
func whileLocked(table string) func(*testing.T, *sql.DB, *vaultserver.Proxy, func() *process.Process) {
	return func(t *testing.T, db *sql.DB, _ *vaultserver.Proxy, start func() *process.Process) {
		t.Helper()
		tx := must.Get(db.BeginTx(t.Context(), nil))(t)
		must.Get(tx.ExecContext(t.Context(), "LOCK TABLE "+table+" IN SHARE MODE"))(t)
		p := start()
		await.That(t, "it waits for "+table, func() bool {
			ended(t, p)
			var waits bool
			must.OK(t, tx.QueryRowContext(t.Context(), `SELECT EXISTS (SELECT 1 FROM pg_locks
				WHERE NOT granted AND relation = $1::regclass AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`,
				table).Scan(&waits))
			return waits
		})
		p.Kill()
		must.OK(t, tx.Rollback())
	}
}

// atRequest holds the nth writing request to a path of the vault (given by its end, or
// by method and end), and kills the process that waits for the response.
func atRequest(nth int64, path string) func(*testing.T, *sql.DB, *vaultserver.Proxy, func() *process.Process) {
	return func(t *testing.T, _ *sql.DB, proxy *vaultserver.Proxy, start func() *process.Process) {
		t.Helper()
		method, end, only := strings.Cut(path, " ")
		if !only {
			end = path
		}
		var count atomic.Int64
		held := make(chan struct{}, 1)
		proxy.Fault(func(r *http.Request) vaultserver.Fault {
			reads := r.Method == http.MethodGet && end != "/crl/rotate" // which is a GET, but builds a list
			if !strings.HasSuffix(r.URL.Path, end) || reads || only && r.Method != method {
				return vaultserver.Pass
			}
			switch n := count.Add(1); {
			case n < nth:
				return vaultserver.Pass
			case n == nth:
				held <- struct{}{}
			}
			return vaultserver.Hold
		})
		p := start()
		select {
		case <-held:
		case <-p.Ended:
			ended(t, p)
		}
		p.Kill()
		proxy.Fault(nil)
	}
}

// ended fails if the program has ended by itself.
func ended(t *testing.T, p *process.Process) {
	t.Helper()
	select {
	case <-p.Ended:
		t.Fatalf("it has ended with %d:\n%s", p.Wait(t), p.Log.String())
	default:
	}
}

// changed names the files that differ.
func changed(a, b map[string]string) (names []string) {
	all := maps.Clone(a)
	maps.Copy(all, b)
	for name := range all {
		was, had := a[name]
		is, has := b[name]
		if had != has || was != is {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
