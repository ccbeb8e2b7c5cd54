package store_test

import (
	"context"
	"fmt"
	"io"
	neturl "net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/tier"
)

// Passwords of a role.
const (
	former = "former-pass"
	newer  = "newer-pass"
)

// owned makes a database whose owner is no superuser and has a limit on connections, on a server
// that asks for passwords.
func owned(t *testing.T, server *postgrestest.Server, name string, connections int) (url func(password string) string) {
	t.Helper()
	must.OK(t, server.Run(t.Context(), fmt.Sprintf("CREATE ROLE %s LOGIN PASSWORD '%s' CONNECTION LIMIT %d", name, former, connections)))
	must.OK(t, server.Run(t.Context(), fmt.Sprintf("CREATE DATABASE %s OWNER %s", name, name)))
	return func(password string) string {
		u := must.Get(neturl.Parse(server.URLAt(server.Address(), name)))(t)
		u.User = neturl.UserPassword(name, password)
		return u.String()
	}
}

// cut ends every connection of a role.
func cut(t *testing.T, server *postgrestest.Server, role string) {
	t.Helper()
	must.OK(t, server.Run(t.Context(), fmt.Sprintf("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '%s'", role)))
}

// TestPostgresAround: what an administrator does on the server while it is in use.
func TestPostgresAround(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t, postgrestest.Options{Listen: "127.0.0.1"})
	t.Run("a new password", func(t *testing.T) { t.Parallel(); newPassword(t, server) })
	for _, connections := range tier.Of([]int{6}, []int{6, 10, 15}) {
		t.Run(fmt.Sprint(connections, " connections"), func(t *testing.T) { t.Parallel(); fewConnections(t, server, connections) })
	}
	t.Run("words", func(t *testing.T) { t.Parallel(); ownWords(t, server) })
}

// newPassword: the password is reread once the former one is refused, and no sooner.
func newPassword(t *testing.T, server *postgrestest.Server) {
	t.Helper()
	const role = "rotated"
	url := owned(t, server, role, -1)
	var file atomic.Value
	file.Store(former)
	reads := atomic.Int64{}
	db := must.Get(store.OpenPostgres(t.Context(), store.Server{
		URL: secret.New(url(former)),
		URLAgain: func() (secret.String, error) {
			reads.Add(1)
			return secret.New(url(file.Load().(string))), nil
		},
	}, store.Options{}))(t)
	defer func() { must.OK(t, db.Close()) }()
	must.OK(t, db.Ping(t.Context()))
	if reads.Load() > 0 {
		t.Error("the file is read while the password is right")
	}
	must.OK(t, server.Run(t.Context(), fmt.Sprintf("ALTER ROLE %s PASSWORD '%s'", role, newer)))
	cut(t, server, role)
	if err := db.Ping(t.Context()); !fault.Is(err, fault.DatabaseUnavailable) || !strings.Contains(err.Error(), "user name or password") {
		t.Errorf("while the file has the former one: %v", err)
	}
	file.Store(newer)
	must.OK(t, db.Ping(t.Context()))
	must.OK(t, db.AppendAudit(t.Context(), audit.Entry{Action: "a.b", Outcome: audit.Success}))
	led, cancel := context.WithCancel(t.Context())
	_ = db.Lead(led, able, func(context.Context) { cancel() })
	if led.Err() == nil {
		t.Error("it does not lead")
	}
	cut(t, server, role)
	must.OK(t, db.Reload())
	must.OK(t, db.Ping(t.Context()))
}

// fewConnections: if the role may have fewer connections than the pools want, everybody waits,
// nobody is refused, and it is reported. All of them end once.
func fewConnections(t *testing.T, server *postgrestest.Server, connections int) {
	t.Helper()
	role := fmt.Sprintf("few_%d", connections)
	url := owned(t, server, role, connections)
	db := must.Get(store.OpenPostgres(t.Context(), store.Server{URL: secret.New(url(former))}, store.Options{}))(t)
	defer func() { must.OK(t, db.Close()) }()
	led := make(chan struct{})
	leading, stop := context.WithCancel(t.Context())
	var lead sync.WaitGroup
	crowd := func() {
		t.Helper()
		var wg sync.WaitGroup
		for n := range 60 {
			wg.Go(func() {
				for range 10 {
					var err error
					switch n % 3 {
					case 0:
						err = db.AppendAudit(t.Context(), audit.Entry{Action: "a.b", Outcome: audit.Success})
					case 1:
						_, err = db.AuditAfter(t.Context(), 0, 10)
					default:
						_, err = db.SchemaTampering(t.Context())
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
	}
	crowd()
	// The lead's connection is the last to be requested.
	lead.Go(func() { _ = db.Lead(leading, able, func(context.Context) { close(led); <-leading.Done() }) })
	defer lead.Wait()
	defer stop()
	<-led
	if allowed, wanted, crowded := db.Crowded(); !crowded || allowed > connections || wanted != 21 {
		t.Errorf("it says %d of %d, %v", allowed, wanted, crowded)
	}
	stop()
	lead.Wait()
	cut(t, server, role)
	crowd()
	// A backup that is slow to write blocks nobody.
	slow, written := io.Pipe()
	var dump sync.WaitGroup
	dump.Go(func() {
		_, err := db.Dump(t.Context(), written, func(table string) bool { return table == "audit_entries" })
		_ = written.CloseWithError(err)
	})
	must.Get(io.ReadFull(slow, make([]byte, 1)))(t)
	crowd()
	must.Get(io.Copy(io.Discard, slow))(t)
	dump.Wait()
	// Connections that broke, and whose places others took meanwhile.
	cut(t, server, role)
	for range connections {
		other := must.Get(pgx.Connect(t.Context(), url(former)))(t)
		time.AfterFunc(2*time.Second, func() { _ = other.Close(context.Background()) })
	}
	crowd()
}

// able is for a candidate that has its vault.
func able() (unable time.Duration) { return 0 }

// ownWords: an error at the start begins with the cause.
func ownWords(t *testing.T, server *postgrestest.Server) {
	t.Helper()
	url := owned(t, server, "words", -1)
	missing := filepath.Join(t.TempDir(), "ca.pem")
	for name, c := range map[string]struct{ url, want string }{
		"wrong password": {url("wrong"), "database_unavailable: PostgreSQL refuses this server's user name or password."},
		"no database": {strings.Replace(url(former), "/words?", "/wrods?", 1),
			"database_unavailable: There is no database of that name on the PostgreSQL server."},
		"no root": {strings.Replace(url(former), "sslmode=disable", "sslmode=verify-full&sslrootcert="+missing, 1),
			"the database's URL names the file " + missing + ", which can't be read: no such file"},
	} {
		_, err := store.OpenPostgres(t.Context(), store.Server{URL: secret.New(c.url)}, store.Options{})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), former) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPooler: a pooler in front is recognised at the start, however it is configured.
func TestPooler(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t, postgrestest.Options{})
	const ignore = "ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout," +
		"default_transaction_isolation,jit,client_min_messages,tcp_keepalives_idle,tcp_keepalives_interval,tcp_keepalives_count," +
		"enable_seqscan,search_path"
	for name, c := range map[string]struct {
		query string
		lines []string
	}{
		"as it comes":            {"", []string{"pool_mode = transaction"}},
		"parameters ignored":     {"", []string{"pool_mode = transaction", ignore}},
		"sessions":               {"", []string{"pool_mode = session", ignore}},
		"statements":             {"SET statement_timeout = 30000", []string{"pool_mode = statement", ignore}},
		"one connection":         {"SET statement_timeout = 30000", []string{"pool_mode = transaction", "default_pool_size = 1", ignore}},
		"parameters set instead": {"SET statement_timeout = 30000", []string{"pool_mode = transaction", ignore}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := server.Pooler(t, "postgres", c.query, c.lines...)
			_, err := store.OpenPostgres(t.Context(), store.Server{URL: secret.New(url)}, store.Options{})
			if err == nil || !strings.HasPrefix(err.Error(), "database_unavailable: DATABASE_URL leads to a connection pooler such as PgBouncer") {
				t.Errorf("%v", err)
			}
		})
	}
}
