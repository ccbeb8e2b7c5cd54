package archive_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

const typed = "Zoë's \U0001f511 at night"

// python runs a script next to the vectors with Debian's Python, for which packages
// python3-cryptography and python3-argon2 are installed, whatever comes first in PATH.
func python(t *testing.T, stdin []byte, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/usr/bin/python3", append([]string{"-B"}, args...)...)
	cmd.Dir = "testdata"
	cmd.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s (scripts/install-deps test installs what is needed)", err, stderr.Bytes())
	}
	return out
}

// TestAnotherProgramReads what we write, on the disk and with the real key.
func TestAnotherProgramReads(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "backup.enc")
	file := must.Get(os.Create(path))(t)
	defer file.Close()
	chosen := must.Get(archive.NewPassword(secret.New(typed)))(t)
	w := must.Get(archive.Create(file, chosen, archive.NewHeader(archive.Full, when, true)))(t)
	sql := lines(2000)
	for rest := []byte(sql); len(rest) > 0; rest = rest[min(len(rest), 777):] { // also splits characters
		must.Get(w.Database().Write(rest[:min(len(rest), 777)]))(t)
	}
	kept := secrets(200)
	kept["_pki/ca"] = `{"key":"-----BEGIN\n","revoked":[1,2.5],"n":12345678901234567890}` // numbers as Python has them
	for path, data := range kept {
		must.OK(t, w.Secret(path, vault.Data(data)))
	}
	written := must.Get(w.Close())(t)
	var got struct {
		FileHeader map[string]any `json:"file_header"`
		Header     map[string]any
		SQL        string                     `json:"database_sql"`
		Secrets    map[string]json.RawMessage `json:"vault_secrets"`
	}
	must.OK(t, json.Unmarshal(python(t, []byte(typed), "read_backup.py", path), &got))
	common := map[string]any{
		"version": 1.0, "created_at": "2026-11-22T02:00:00Z", "backup_type": "full", "includes_db": true, "includes_kv": true,
	}
	inner, outer := maps.Clone(common), maps.Clone(common)
	inner["includes_audit_logs"], outer["includes_audit"], outer["checksum"] = true, true, written.Header.Checksum
	if !maps.Equal(got.FileHeader, outer) || !maps.Equal(got.Header, inner) {
		t.Errorf("headers %v and %v", got.FileHeader, got.Header)
	}
	if got.SQL != sql || !same(t, texts(got.Secrets), kept) {
		t.Errorf("%d bytes of SQL and %d secrets are not what was written", len(got.SQL), len(got.Secrets))
	}
	a := must.Get(archive.Open(t.Context(), file, written.FileBytes, archive.TypedPassword(secret.New(typed))))(t)
	if a.Contents != written {
		t.Errorf("our own reader counts %+v, the writer %+v", a.Contents, written)
	}
	must.Get(file.Seek(0, io.SeekStart))(t)
	if h, err := archive.Probe(file, chosen); err != nil || h != written.Header {
		t.Errorf("the probe gives %+v, %v", h, err)
	}
}
