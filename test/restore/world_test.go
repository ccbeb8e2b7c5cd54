package restore_test

import (
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // to look into the database
	_ "modernc.org/sqlite"             // likewise

	"github.com/keyward/keyward/internal/store/sqlitetest"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/host"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/process"
	"github.com/keyward/keyward/test/s3server"
	"github.com/keyward/keyward/test/server"
	"github.com/keyward/keyward/test/vaultserver"
)

const (
	adminPassword  = "admin: long enough, 1st"
	ownerPassword  = "jdoe: long enough, 2nd"
	backupPassword = "a password for backups"
	serial         = "20260101" // of the token whose PIN is compared
	siteURL        = "http://keyward.test"
)

type fields = server.Fields

// world is an installation with its server, running as a separate program, and backups
// in a bucket behind a proxy.
type world struct {
	*process.Process // running, or the latest
	server.Client

	whole    *testing.T // the installation lasts as long as this test
	data     string
	env      map[string]string
	database string // URL; empty: the file in data
	vault    *vaultserver.Proxy
	s3       *s3server.Proxy
	bucket   string
	token    string   // the administrator's
	changes  int      // made since the backup
	pin      string   // of the token, in the backup and since
	others   []string // backups besides the restored one
}

// oneMachine has everything in its data directory.
func oneMachine(t *testing.T) *world {
	t.Helper()
	w := &world{whole: t, data: t.TempDir(), env: map[string]string{}}
	sqlitetest.Put(t, filepath.Join(w.data, "keyward.db"))
	return w
}

// apart has a PostgreSQL database and a Vault behind a proxy.
func apart(t *testing.T) *world {
	t.Helper()
	w := &world{whole: t, data: t.TempDir(), database: engine.Postgres(t)}
	v := vaultserver.Shared(t)
	w.vault = v.Proxy(t)
	o := v.Operator()
	o.PublicBase = siteURL
	v.Prepare(t, o)
	w.env = vaultserver.Settings(t, v.AppRole(t, o))
	w.env["VAULT_ADDR"], w.env["DATABASE_URL"] = w.vault.Address, w.database
	w.env["DATABASE_LOCK_TIMEOUT"], w.env["DATABASE_STATEMENT_TIMEOUT"] = "10m", "10m"
	return w
}

// settle starts the server, sets up a token and backups, and creates a backup, whose
// key it returns.
func (w *world) settle(t *testing.T) (key string) {
	t.Helper()
	w.start(t)
	w.Must(t, "POST", "/api/admin/users", w.token, fields{
		"username": "jdoe", "email": "jdoe@example.org", "password": ownerPassword, "role": "user",
	})
	id := w.Must(t, "GET", "/api/admin/users?search=jdoe", w.token, nil)["items"].([]any)[0].(map[string]any)["id"]
	w.Must(t, "POST", "/api/hwkey", w.token, fields{"serial": serial, "owner_id": id})
	for n := range 12 { // so that a restore writes more than one
		w.Must(t, "POST", "/api/hwkey", w.token, fields{"serial": fmt.Sprint(20260110 + n)})
	}
	w.pin = w.readPIN(t)
	w.keepInBucket(t)
	job := w.Must(t, "POST", "/api/backup/trigger", w.token, fields{"type": "full"})
	return w.ended(t, job, "Completed")["key"].(string)
}

// keepInBucket sets up backups.
func (w *world) keepInBucket(t *testing.T) {
	t.Helper()
	store := s3server.Shared(t)
	w.s3, w.bucket = store.Proxy(t), store.Bucket(t)
	w.setBackups(t, w.s3.Address)
}

func (w *world) setBackups(t *testing.T, endpoint string) {
	t.Helper()
	w.Must(t, "PUT", "/api/backup/settings", w.token, fields{
		"store": "s3", "s3_endpoint": endpoint, "region": s3server.Region, "bucket": w.bucket, "prefix": "site/",
		"access_key_id": s3server.AccessKeyID, "secret_access_key": s3server.SecretKey, "use_path_style": true,
		"schedule": "", "encryption_password": backupPassword,
	})
}

// environment is the server's whole environment, with nothing of the tester's.
func (w *world) environment(t testing.TB) []string {
	t.Helper()
	env := map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": t.TempDir(), "TMPDIR": os.TempDir(), "DATA": w.data, "SITE_URL": siteURL,
		"KEYWARD_ADMIN_PASSWORD": adminPassword, "PKI_CA_KEY_TYPE": "ec-p256", "METRICS_LISTEN": "off", "ACCESS_LOG": "false",
		"ARGON2_MEMORY_MIB": "19", "RATE_LIMIT_SESSION": "off", "RATE_LIMIT_ANONYMOUS": "off", "RATE_LIMIT_LOGIN": "off",
	}
	maps.Copy(env, w.env)
	var list []string
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	return list
}

// start starts the server, waits until it serves, and signs the administrator in.
func (w *world) start(t *testing.T) {
	t.Helper()
	w.serve(t)
	w.signIn(t)
}

// serve starts the server, and waits until it serves.
func (w *world) serve(t *testing.T) {
	t.Helper()
	w.launch(t, exec.Command(filepath.Join(bin, "keyward"), "serve", "--listen", host.Address()+":0"))
}

func (w *world) launch(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.Env = w.environment(t)
	w.Process = process.Start(w.whole, "keyward serve", cmd)
	w.Client = server.NewClient(w.whole, "http://"+w.Announces(t, `"msg":"keyward is ready","listen":"`, `"`))
}

// Must waits while a restore that nobody works on any more blocks changes: a server
// checks that once a second.
func (w *world) Must(t *testing.T, method, path, token string, body any) (out map[string]any) {
	t.Helper()
	await.That(t, method+" "+path+" is let through", func() bool {
		res := w.Call(t, method, path, token, body)
		if res.Status == http.StatusServiceUnavailable && res.Body["code"] == "restore_running" {
			return false
		}
		if res.Status >= http.StatusMultipleChoices {
			t.Fatalf("%s %s: %d %s", method, path, res.Status, res.Raw)
		}
		out = res.Body
		return true
	})
	return out
}

// signIn signs the administrator in.
func (w *world) signIn(t *testing.T) {
	t.Helper()
	w.token = w.Must(t, "POST", "/api/auth/login", "", fields{"username": "admin", "password": adminPassword})["access_token"].(string)
}

// ownerSignsIn signs the token's owner in, with an agent.
func (w *world) ownerSignsIn(t *testing.T) (token string) {
	t.Helper()
	out := w.Must(t, "POST", "/api/auth/login", "", fields{"username": "jdoe", "password": ownerPassword})
	token = out["access_token"].(string)
	path := fmt.Sprintf("/api/session/%d/register-agent", server.Number(out["session_id"]))
	w.Must(t, "POST", path, token, fields{"public_key": server.AgentKey(t)})
	return token
}

// readPIN returns the token's recorded PIN, as its owner's agent gets it.
func (w *world) readPIN(t *testing.T) string {
	t.Helper()
	out := w.Must(t, "GET", "/api/hwkey/"+serial+"/secrets", w.ownerSignsIn(t), nil)
	return server.Unseal(t, serial, "pin", out["pin"].(string))
}

// loses removes secrets of several tokens, including this one, from the vault, which
// nobody has open then.
func (w *world) loses(t *testing.T) {
	t.Helper()
	e := must.Get(embedded.Open(t.Context(), embedded.Options{
		Path: filepath.Join(w.data, "vault.db"), Seal: embedded.FileSeal(filepath.Join(w.data, "seal.key")), PublicBase: siteURL,
	}))(t)
	for _, token := range []string{serial, "20260110", "20260111", "20260112"} {
		must.OK(t, e.DestroyPath(t.Context(), token+"/secrets"))
	}
	must.OK(t, e.Close())
}

// row reads from the database, bypassing any server.
func (w *world) row(t testing.TB, into []any, query string, args ...any) {
	t.Helper()
	db := w.open(t)
	must.OK(t, db.QueryRowContext(t.Context(), engine.Numbered(query), args...).Scan(into...))
	must.OK(t, db.Close())
}

func (w *world) open(t testing.TB) *sql.DB {
	t.Helper()
	if w.database != "" {
		return must.Get(sql.Open("pgx", w.database))(t)
	}
	return must.Get(sql.Open("sqlite", "file:"+filepath.Join(w.data, "keyward.db")+"?_pragma=busy_timeout(600000)"))(t)
}

// job is a job according to the database.
type job struct{ status, outcome, message string }

func (w *world) job(t testing.TB, id int) (j job) {
	t.Helper()
	w.row(t, []any{&j.status, &j.outcome, &j.message}, "SELECT status, outcome, error_message FROM backup_jobs WHERE id = ?", id)
	return j
}

// over waits until a job has ended, without signing in.
func (w *world) over(t testing.TB, id int) (j job) {
	t.Helper()
	await.That(t, "the job is over", func() bool {
		select {
		case <-w.Ended:
			t.Fatalf("the server has ended:\n%s", w.Log.String())
		default:
		}
		j = w.job(t, id)
		return j.status == "Completed" || j.status == "Failed"
	})
	return j
}

// ended is over through the API.
func (w *world) ended(t *testing.T, job map[string]any, status string) map[string]any {
	t.Helper()
	id := server.Number(job["job_id"])
	w.over(t, id)
	job = w.Must(t, "GET", fmt.Sprint("/api/backup/jobs/", id), w.token, nil)
	if job["status"] != status {
		t.Fatalf("the job has ended so: %v", job)
	}
	return job
}

// healthy requires that nothing was found and nothing is held back.
func (w *world) healthy(t *testing.T) {
	t.Helper()
	await.That(t, "all is well", func() bool { return w.Must(t, "GET", "/api/health", "", nil)["status"] == "ok" })
	if is := w.readPIN(t); is != w.pin {
		t.Errorf("the PIN is another one than before: %q, %q", is, w.pin)
	}
}
