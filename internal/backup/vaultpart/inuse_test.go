package vaultpart_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/backup/vaultpart"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/must"
)

// TestInUse: over a vault in use, every class is treated as in the package comment's table.
func TestInUse(t *testing.T) {
	t.Parallel()
	for name, maker := range makers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testInUse(t, maker(t))
		})
	}
}

func testInUse(t *testing.T, e engine) {
	then := lived()
	then["lost/secrets"], then["older/secrets"] = secrets("lost", 3), secrets("backup", 9)
	fill(t, e, then)
	b := read(t, e)

	since := vault.Data(`{"is":"of since then"}`)
	want := maps.Clone(then)
	for path := range then {
		switch vaultpart.ClassOf(path) {
		case vaultpart.Secrets, vaultpart.Installation:
		case vaultpart.Audit: // keys to verify former segments: none is lost
			put(t, e, path, closedKey("B"))
			both := strings.TrimSuffix(string(closedKey("B")), "]}") + "," + strings.TrimPrefix(string(closedKey("A")), `{"keys":[`)
			want[path] = vault.Data(both)
		default:
			put(t, e, path, since)
			want[path] = since
		}
	}
	must.OK(t, e.DestroyPath(t.Context(), "lost/secrets"))
	put(t, e, "12345678/secrets", secrets("new", 6))
	put(t, e, "older/secrets", secrets("snapshot", 2))
	put(t, e, "new/secrets", secrets("registered since", 1))
	put(t, e, "_keyward/jwt", since)
	want["12345678/secrets"] = merged("new", 7, "old")
	want["older/secrets"] = merged("backup", 10, "snapshot")
	want["lost/secrets"] = secrets("lost", 4)
	want["new/secrets"] = secrets("registered since", 1)
	want["_keyward/jwt"] = since
	number, _ := must.Both(e.CRLNumber(t.Context(), vault.Active))(t)

	for n, counts := range []vaultpart.Report{{Written: 1, Merged: 2}, {}} {
		r := b.whole(t, e, vaultpart.Options{Over: restore.InUse})
		if r.Written != counts.Written || r.Merged != counts.Merged || len(r.Warnings) > 0 {
			t.Errorf("the restore's try %d: %+v", n+1, r)
		}
		for path, data := range want {
			has(t, e, path, data)
		}
	}
	if after, _ := must.Both(e.CRLNumber(t.Context(), vault.Active))(t); after < number {
		t.Errorf("CRL number %d after %d", after, number)
	}
}

// merged is a document with another one's values as superseded.
func merged(text string, counter int, other string) vault.Data {
	data := secrets(text, counter)
	for _, field := range []string{"pin", "puk", "key"} {
		own := fmt.Sprintf(`"current":"%s-%s"`, field, text)
		data = bytes.Replace(data, []byte(own), fmt.Appendf([]byte(own), `,"superseded":[{"value":"%s-%s","for":7,"age":1}]`, field, other), 1)
	}
	return data
}

// TestInUseCA: the backup's revocations are added to the vault's, and its CRL
// number continues above both; a different CA stays unless it is to be replaced.
func TestInUseCA(t *testing.T) {
	t.Parallel()
	e, other := openEmbedded(t, t.TempDir()), openEmbedded(t, t.TempDir())
	csr, at := vaulttest.NewCSR(t, vaulttest.RSAKey()), time.Now().Truncate(time.Second)
	known := revocation(t, e, csr, at)
	must.OK(t, e.Revoke(t.Context(), known))
	must.OK(t, e.RaiseCRL(t.Context(), vault.Active, 30, nil))
	fill(t, e, lived())
	b := read(t, e)
	takeCAs(t, other, e)
	since := revocation(t, other, csr, at)
	must.OK(t, other.Revoke(t.Context(), since))
	b.whole(t, other, vaultpart.Options{})
	there := map[string]bool{}
	must.OK(t, other.Revoked(t.Context(), func(r vault.Revocation) error { there[r.Serial] = true; return nil }))
	list := must.Get(other.CRL(t.Context(), vault.Active))(t)
	if len(there) != 2 || !there[known.Serial] || !there[since.Serial] || list.Number <= 30 {
		t.Errorf("list %d shows %v", list.Number, there)
	}

	third := openEmbedded(t, t.TempDir())
	own := must.Get(vault.ActiveCA(t.Context(), third))(t).Chain[0]
	if same := must.Get(vaultpart.SameCA(t.Context(), third, b.survey(t)))(t); same {
		t.Error("another CA is taken for the same")
	}
	r := b.whole(t, third, vaultpart.Options{})
	if now := must.Get(vault.ActiveCA(t.Context(), third))(t); len(r.Warnings) != 1 || !bytes.Equal(now.Chain[0], own) {
		t.Errorf("the CA was replaced, %v", r.Warnings)
	}
	b.whole(t, third, vaultpart.Options{ReplaceCA: true})
	if same := must.Get(vaultpart.SameCA(t.Context(), third, b.survey(t)))(t); !same {
		t.Error("the CA was not replaced")
	}
}

// TestRevocationsOnRecord: the database records revocations that the vault does not take.
func TestRevocationsOnRecord(t *testing.T) {
	t.Parallel()
	from, same := openEmbedded(t, t.TempDir()), openEmbedded(t, t.TempDir())
	known := revocation(t, from, vaulttest.NewCSR(t, vaulttest.RSAKey()), time.Now().Truncate(time.Second))
	must.OK(t, from.Revoke(t.Context(), known))
	fill(t, from, lived())
	b := read(t, from)
	takeCAs(t, same, from)
	for name, c := range map[string]struct {
		to   engine
		want []string
	}{
		"the same CA": {same, nil}, "another CA": {openEmbedded(t, t.TempDir()), []string{known.Serial}},
		"by certificates alone": {makers["remote"](t), []string{known.Serial}},
	} {
		var told []string
		b.whole(t, c.to, vaultpart.Options{Record: func(_ context.Context, list []vault.Revocation) error {
			for _, r := range list {
				told = append(told, r.Serial)
			}
			return nil
		}})
		if !slices.Equal(told, c.want) {
			t.Errorf("%s: told %q, should be %q", name, told, c.want)
		}
	}
}

// TestStranger: another installation's vault is only taken over if unused, and then
// its logs are the backup's, too.
func TestStranger(t *testing.T) {
	t.Parallel()
	for name, maker := range makers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old, e := openEmbedded(t, t.TempDir()), maker(t)
			fill(t, old, lived())
			b := read(t, old)
			number, theirs := vault.Data(`{"is":"the other one's"}`), vault.Data(`{"private_key":"`+strings.Repeat("C", 42)+`A="}`)
			put(t, e, installationID, number)
			put(t, e, "audit_seal/key", theirs)
			put(t, e, "12345678/secrets", secrets("theirs", 99))
			_, err := vaultpart.NewWriter(t.Context(), e, b.survey(t), vaultpart.Options{})
			if f, ok := fault.As(err); !ok || f.Code != fault.Conflict || f.Reason != "backup_of_another_installation" {
				t.Errorf("the answer is %v", err)
			}
			has(t, e, "audit_seal/key", theirs)
			want := lived()
			want["12345678/secrets"] = bytes.ReplaceAll(merged("old", 100, "theirs"), []byte(`-theirs","for":7`), []byte(`-theirs","for":-1`))
			want["abcd/secrets"] = secrets("other", 2)
			want[installationID] = number
			for range 2 {
				b.whole(t, e, vaultpart.Options{Over: restore.Fresh})
				for path, data := range want {
					has(t, e, path, data)
				}
			}
			want[installationID] = lived()[installationID]
			for range 2 {
				b.whole(t, e, vaultpart.Options{Over: restore.Empty})
				for path, data := range want {
					has(t, e, path, data)
				}
			}
		})
	}
}

// takeCAs makes a vault's CAs another's.
func takeCAs(t *testing.T, to, from *embedded.Engine) {
	t.Helper()
	list := must.Get(from.ExportCAs(t.Context()))(t)
	for i := range list {
		list[i].Above = 3
	}
	must.OK(t, to.RestoreCAs(t.Context(), list, vault.CARestore{Replace: true, Drop: true}))
}
