package backup_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
)

// filled has something of every kind in database and vault.
func filled(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.change(password, nil)
	for n := range 30 {
		path := fmt.Sprintf("1234%04d/secrets", n)
		must.Get(b.kv.Put(t.Context(), path, vault.Data(`{"pin":"12345678"}`), 0))(t)
	}
	must.OK(t, b.sealer.Run(t.Context()))
	return b
}

// archived opens an object independently, and returns its SQL and the paths of its secrets.
func archived(t *testing.T, content []byte, pw string) (a *archive.Archive, sql string, paths []string) {
	t.Helper()
	a = must.Get(archive.Open(t.Context(), bytes.NewReader(content), int64(len(content)), archive.TypedPassword(secret.New(pw))))(t)
	must.OK(t, a.Read(t.Context(), archive.Use{
		Database: func(r io.Reader) error {
			text, err := io.ReadAll(r)
			sql = string(text)
			return err
		},
		Secret: func(path string, _ vault.Data) error {
			paths = append(paths, path)
			return nil
		},
	}))
	return a, sql, paths
}

func TestBackup(t *testing.T) {
	t.Parallel()
	for name, inBucket := range map[string]bool{"directory": false, "bucket": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := filled(t)
			if inBucket {
				b.inBucket(s3server.Shared(t).Plain)
			}
			made := must.Get(b.make(t.Context(), archive.Full))(t)
			store := b.open()
			content := read(t, store, made.Key)
			a, sql, paths := archived(t, content, password)
			if a.Header.Type != archive.Full || !a.Header.IncludesAudit || int64(len(content)) != made.SizeBytes || made.Outcome != backup.OK {
				t.Errorf("%+v of %+v", made, a.Header)
			}
			if n, ok := objstore.ParseName(store.Prefix(), made.Key); !ok || !n.At.Equal(a.Header.CreatedAt) {
				t.Errorf("the name %q is of another time than %v", made.Key, a.Header.CreatedAt)
			}
			for table, want := range map[string]bool{"audit_entries": true, "settings": true, "backup_jobs": false, "goose_db_version": false} {
				if got := strings.Contains(sql, `INSERT INTO "`+table+`"`); got != want {
					t.Errorf("rows of %s: %v", table, got)
				}
			}
			below := func(folder string) func(string) bool {
				return func(path string) bool { return strings.HasPrefix(path, folder+"/") }
			}
			if !slices.Contains(paths, "12340029/secrets") || !slices.ContainsFunc(paths, below("_pki")) {
				t.Errorf("the secrets are %q", paths)
			}
			if slices.ContainsFunc(paths, below(backup.VaultFolder)) || strings.Contains(sql, password) {
				t.Error("it has the password that it is encrypted with")
			}
			if want := fmt.Sprintf(", %d secrets.", len(paths)); !strings.HasSuffix(backup.Counted(made.Details), want) {
				t.Errorf("it says %q, want %q", made.Details, want)
			}

			// The signed head is beside it.
			var head struct {
				PublicKey string `json:"public_key"`
				chain.Head
			}
			key := strings.Replace(strings.TrimSuffix(made.Key, ".enc"), "backup-full", "audit-head", 1) + ".json"
			must.OK(t, json.Unmarshal(read(t, store, key), &head))
			if status := must.Get(b.sealer.Status(t.Context()))(t); head.PublicKey != status.PublicKey || head.Signature != status.Head.Signature {
				t.Errorf("the head is %+v", head)
			}
			if list, total, err := b.List(t.Context(), 10, ""); len(list) != 1 || total != 1 || list[0].Key != made.Key || err != nil {
				t.Errorf("listed: %+v, %v", list, err)
			}
			b.files()
		})
	}
}

// A backup includes what its type says, and opens with the password at its time.
func TestBackupTypes(t *testing.T) {
	t.Parallel()
	b := filled(t)
	b.change("", func(s *backup.Settings) { s.IncludeAuditLogs = false })
	first := must.Get(b.make(t.Context(), archive.Database))(t)
	b.change("another horse battery", nil)
	second := must.Get(b.make(t.Context(), archive.Vault))(t)
	for _, c := range []struct {
		kind     backup.Type
		key, pw  string
		sql, sec bool
	}{{archive.Database, first.Key, password, true, false}, {archive.Vault, second.Key, "another horse battery", false, true}} {
		a, sql, paths := archived(t, read(t, b.open(), c.key), c.pw)
		if a.Header.Type != c.kind || a.Header.IncludesAudit || (sql != "") != c.sql || (paths != nil) != c.sec {
			t.Errorf("%s: %+v", c.kind, a.Contents)
		}
		if strings.Contains(sql, `INTO "audit_`) {
			t.Errorf("%s has the audit log", c.kind)
		}
	}
}
