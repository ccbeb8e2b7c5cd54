package restore_test

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/store/sqlitetest"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
)

// ran is a program that has ended.
type ran struct {
	out, log string
	code     int
}

// run runs one of our programs, or of the system's, to its end.
func (w *world) run(t *testing.T, stdin string, more []string, name string, args ...string) ran {
	t.Helper()
	if name == "keyward" {
		name = filepath.Join(bin, name)
	}
	cmd := exec.CommandContext(t.Context(), name, args...)
	var out, log bytes.Buffer
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = append(w.environment(t), more...), strings.NewReader(stdin), &out, &log
	if err := cmd.Run(); err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			t.Fatal(err)
		}
	}
	return ran{out.String(), log.String(), cmd.ProcessState.ExitCode()}
}

// bareMachine has nothing but the programs.
func (w *world) bareMachine(t *testing.T) *world {
	t.Helper()
	return &world{whole: w.whole, data: filepath.Join(t.TempDir(), "data"), env: map[string]string{}, s3: w.s3, bucket: w.bucket, pin: w.pin}
}

// place returns flags for the location of the backups.
func (w *world) place() []string {
	return []string{
		"--s3-endpoint", s3server.Shared(w.whole).Plain, "--region", s3server.Region, "--bucket", w.bucket, "--prefix", "site/",
		"--access-key-id", s3server.AccessKeyID,
	}
}

// succeeds requires exit code 0, and returns the JSON object in the output, if any.
func (r ran) succeeds(t *testing.T) (out map[string]any) {
	t.Helper()
	if r.code != 0 {
		t.Fatalf("exit code %d: %s%s", r.code, r.log, r.out)
	}
	if strings.HasPrefix(r.out, "{") {
		must.OK(t, json.Unmarshal([]byte(r.out), &out))
	}
	return out
}

// TestBareMachine restores by command from the bucket alone. Then people sign in,
// programs accept certificates, the revocation list and the audit log, and the PIN is
// recorded.
func TestBareMachine(t *testing.T) {
	t.Parallel()
	w := oneMachine(t)
	w.settle(t)
	good, revoked, late := w.certificate(t), w.certificate(t), w.certificate(t)
	w.Must(t, "POST", "/api/certificates/"+revoked.serial+"/revoke", w.token, fields{"reason": "keyCompromise"})
	trigger := func(kind string) string {
		return w.ended(t, w.Must(t, "POST", "/api/backup/trigger", w.token, fields{"type": kind}), "Completed")["key"].(string)
	}
	key, half, secrets := trigger("full"), trigger("database"), trigger("vault")
	w.Must(t, "POST", "/api/certificates/"+late.serial+"/revoke", w.token, fields{"reason": "keyCompromise"})
	published := w.list(t)
	w.Kill() // the machine is gone

	to := w.bareMachine(t)
	restore := append([]string{"restore", "--data", to.data, "--json"}, w.place()...)
	listed := to.run(t, s3server.SecretKey+"\n", nil, "keyward", append(restore, "--list")...).succeeds(t)
	if items := fmt.Sprint(listed["items"]); listed["total"] != 4.0 || !strings.Contains(items, key) || !strings.Contains(items, half) {
		t.Errorf("the list: %v", listed)
	}
	both := s3server.SecretKey + "\n" + backupPassword + "\n"
	if wrong := to.run(t, s3server.SecretKey+"\nnot the password\n", nil, "keyward", append(restore, "--key", key)...); wrong.code != 1 ||
		!strings.Contains(wrong.log, "password") {
		t.Errorf("a wrong password: %+v", wrong)
	}
	for name, what := range map[string]string{half: "only the database", secrets: "only the vault"} {
		if alone := to.run(t, both, nil, "keyward", append(restore, "--key", name)...); alone.code != 1 || !strings.Contains(alone.log, what) {
			t.Errorf("%s: %+v", name, alone)
		}
	}
	to.data = w.bareMachine(t).data // the halves may have left empty files
	restore[2] = to.data
	if dry := to.run(t, both, nil, "keyward", append(restore, "--key", key, "--dry-run")...).succeeds(t); dry["over"] != "bare" {
		t.Errorf("the dry run: %v", dry)
	}
	if left, err := os.ReadDir(to.data); len(left) > 0 {
		t.Errorf("the dry run leaves %v, %v", left, err)
	}
	password := []string{"KEYWARD_BACKUP_PASSWORD=" + backupPassword}
	restore = append(restore, "--key", key, "--crl", filepath.Join(t.TempDir(), "crl"))
	must.OK(t, os.WriteFile(restore[len(restore)-1], published.Raw, 0o600))
	done := to.run(t, s3server.SecretKey+"\n", password, "keyward", restore...)
	if out := done.succeeds(t); out["outcome"] != "ok" || out["over"] != "bare" || out["type"] != "full" {
		t.Errorf("the restore: %v, %s", out, done.log)
	}
	to.accepted(t, good, revoked, late)
	to.serve(t)
	if now := to.list(t); now.Number.Cmp(new(big.Int).Add(published.Number, big.NewInt(100))) < 0 {
		t.Errorf("the list has the number %d, and %d was published", now.Number, published.Number)
	}
	to.Stop(t)

	t.Run("half by half over the living", func(t *testing.T) { to.halves(t, half, secrets, w) })
	t.Run("over a new installation", func(t *testing.T) { w.replaces(t, key) })
}

// issued is a certificate with its serial number.
type issued struct{ serial, pem string }

// certificate has one issued for the token.
func (w *world) certificate(t *testing.T) issued {
	t.Helper()
	token := w.ownerSignsIn(t)
	key := must.Get(rsa.GenerateKey(rand.Reader, 2048))(t)
	der := must.Get(x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: "jdoe"}}, key))(t)
	out := w.Must(t, "POST", "/api/hwkey/"+serial+"/sign-csr", token,
		fields{"csr": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))})
	return issued{out["serial_number"].(string), out["certificate"].(string)}
}

// accepted starts the server of a restored installation, and checks it with people and
// programs.
func (w *world) accepted(t *testing.T, good issued, revoked ...issued) {
	t.Helper()
	w.start(t)
	w.healthy(t)
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		must.OK(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	crl, ca := file("crl.der", w.Call(t, http.MethodGet, "/api/pki/crl", "", nil).Raw), file("ca.pem", w.chain(t))
	list := filepath.Join(dir, "crl.pem")
	w.run(t, "", nil, "openssl", "crl", "-inform", "DER", "-in", crl, "-CAfile", ca, "-out", list).succeeds(t)
	verify := []string{"verify", "-crl_check", "-CAfile", ca, "-CRLfile", list}
	w.run(t, "", nil, "openssl", append(verify, file("good.pem", good.pem))...).succeeds(t)
	for _, c := range revoked {
		if no := w.run(t, "", nil, "openssl", append(verify, file("revoked.pem", c.pem))...); no.code == 0 ||
			!strings.Contains(no.log+no.out, "revoked") {
			t.Errorf("openssl of a revoked certificate: %+v", no)
		}
		var status string
		w.row(t, []any{&status}, "SELECT status FROM certificates WHERE serial_number = ?", c.serial)
		if status != "revoked" {
			t.Errorf("a revoked certificate is on record as %s", status)
		}
	}
	w.Stop(t)
	w.run(t, "", nil, "keyward", "audit", "verify", "--data", w.data).succeeds(t)
}

// list returns the published CRL.
func (w *world) list(t *testing.T) *x509.RevocationList {
	t.Helper()
	return must.Get(x509.ParseRevocationList([]byte(w.Call(t, http.MethodGet, "/api/pki/crl", "", nil).Raw)))(t)
}

// chain returns the CA's certificate, PEM.
func (w *world) chain(t *testing.T) string {
	t.Helper()
	out := w.Call(t, http.MethodGet, "/api/pki/ca", "", nil)
	if out.Status != http.StatusOK {
		t.Fatalf("the CA: %d %s", out.Status, out.Raw)
	}
	if strings.Contains(out.Raw, "BEGIN CERTIFICATE") {
		return out.Raw
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte(out.Raw)}))
}

// halves restores only the database, and then only the vault's part, from files over
// the stopped installation, whose vault has lost secrets. Each restore is killed once.
func (w *world) halves(t *testing.T, half, secrets string, from *world) {
	to := s3server.Shared(t).File(from.bucket, half)
	before := w.tables(t)
	w.killCommand(t, "AFTER INSERT ON audit_entries WHEN NEW.action = 'restore.applied'", "NOT "+underWay, "restore", to, "--data", w.data)
	if w.tables(t) != before || w.underWay(t) {
		t.Error("killed in the transaction: the database has changed")
	}
	restore := func(file string, more ...string) {
		args := append([]string{"restore", file, "--data", w.data, "--json"}, more...)
		out := w.run(t, backupPassword+"\n", nil, "keyward", args...).succeeds(t)
		if out["outcome"] != "ok" && out["outcome"] != "warnings" {
			t.Errorf("%v: %v", args, out)
		}
	}
	restore(to)
	w.loses(t)
	file := s3server.Shared(t).File(from.bucket, secrets)
	w.killCommand(t, beforeMarks, underWay, "restore", file, "--data", w.data)
	if !w.underWay(t) {
		t.Error("killed while the vault was written: the restore has ended")
	}
	restore(file, "--resume")
	w.start(t)
	w.healthy(t)
	w.Stop(t)
	w.run(t, "", nil, "keyward", "audit", "verify", "--data", w.data).succeeds(t)
}

// replaces restores over an unused installation, which requires confirmation.
func (w *world) replaces(t *testing.T, key string) {
	to := w.bareMachine(t)
	must.OK(t, os.MkdirAll(to.data, 0o700))
	sqlitetest.Put(t, filepath.Join(to.data, "keyward.db"))
	to.start(t)
	to.Stop(t)
	file := s3server.Shared(t).File(w.bucket, key)
	restore := []string{"restore", file, "--data", to.data, "--json"}
	if no := to.run(t, backupPassword+"\n", nil, "keyward", restore...); no.code != 1 || !strings.Contains(no.log, "replace") {
		t.Errorf("without being asked for: %+v", no)
	}
	to.killCommand(t, "AFTER INSERT ON audit_batches WHEN "+underWay, underWay, append(restore, "--replace-ca")...)
	if !to.underWay(t) {
		t.Error("killed while the vault was written: the restore has ended")
	}
	out := to.run(t, backupPassword+"\n", nil, "keyward", append(restore, "--resume")...).succeeds(t)
	if out["outcome"] != "ok" {
		t.Errorf("the restore: %v", out)
	}
	var status, outcome string
	to.row(t, []any{&status, &outcome}, "SELECT status, outcome FROM backup_jobs ORDER BY id DESC LIMIT 1 OFFSET 1")
	if status != "Failed" || outcome != "vault_incomplete" {
		t.Errorf("the job that was killed: %s, %s", status, outcome)
	}
	to.start(t)
	to.healthy(t)
	to.Stop(t)
	to.run(t, "", nil, "keyward", "audit", "verify", "--data", to.data).succeeds(t)
}
