package vaultpart_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/backup/vaultpart"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// engine is a complete vault, like both engines.
type engine interface {
	vault.Engine
	vault.RevokedLister
	vault.Numbered
}

// makers make an empty vault of each engine.
var makers = map[string]func(t testing.TB) engine{
	"embedded": func(t testing.TB) engine { return openEmbedded(t, t.TempDir()) },
	"remote": func(t testing.TB) engine {
		v := vaultserver.Shared(t)
		o := v.Operator() // may also destroy documents
		v.Prepare(t, o)
		e := must.Get(remote.Open(t.Context(), o))(t)
		t.Cleanup(func() { must.OK(t, e.Close()) })
		return e
	},
}

func openEmbedded(t testing.TB, dir string) *embedded.Engine {
	t.Helper()
	e := must.Get(embedded.Open(t.Context(), embedded.Options{
		Path: filepath.Join(dir, "vault"), Seal: embedded.FileSeal(filepath.Join(dir, "seal", "key")),
		PublicBase: vaultserver.PublicBase, CAKeyType: piv.ECP256,
	}))(t)
	t.Cleanup(func() { must.OK(t, e.Close()) })
	return e
}

// secrets is a token's document whose values end in text.
func secrets(text string, counter int, superseded ...string) vault.Data {
	var former []string
	for i, s := range superseded {
		former = append(former, fmt.Sprintf(`{"value":"pin-%s","for":7,"age":%d}`, s, len(superseded)-i))
	}
	list := ""
	if len(former) > 0 {
		list = `,"superseded":[` + strings.Join(former, ",") + `]`
	}
	return fmt.Appendf(nil, `{"pin":{"current":"pin-%[1]s"%[3]s},"puk":{"current":"puk-%[1]s"},
		"management_key":{"current":"key-%[1]s"},"last_rotation_id":0,"changed_at":"2026-11-23T01:00:00Z","for":7,"counter":%[2]d}`,
		text, counter, list)
}

// installationID is the path of the installation's id.
const installationID = "_keyward/installation"

// lived returns the documents of a vault that has been in use.
func lived() map[string]vault.Data {
	plain := func(text string) vault.Data { return fmt.Appendf(nil, `{"is":%q}`, text) }
	page := func(n int) vault.Data { return fmt.Appendf(nil, `{"page":%d,"count":1}`, n) }
	return map[string]vault.Data{
		"12345678/secrets":                        secrets("old", 5),
		"abcd/secrets":                            secrets("other", 1),
		"12345678/releases":                       page(3),
		"12345678/releases/1":                     page(1),
		"12345678/releases/2":                     page(2),
		"12345678/releases/lost":                  plain("lost"),
		"_releases/2026-11-23T01/server_1":        plain("hour"),
		"_issuances/open/0001":                    plain("open"),
		"_issuances/settled/2026-11-23/a":         plain("settled"),
		"_issuances/kept/2027-11-23_2026-11-23_a": plain("kept"),
		"_issuances/unrecorded/0001_000":          plain("unrecorded"),
		"audit_seal/closed":                       closedKey("A"),
		"webhook_secrets/a":                       plain("webhook"),
		"oidc_settings/client_secret":             plain("single sign-on"),
		"of_a/later/version":                      plain("later"),
		"license/installation":                    plain("installation ID"),
		"license/record":                          plain("license"),
		installationID:                            plain("installation"),
	}
}

// closedKey is a former key, one letter repeated.
func closedKey(letter string) vault.Data {
	return vault.Data(`{"keys":[{"public_key":"` + strings.Repeat(letter, 42) + `A="}]}`)
}

// own are documents that stay in their vault.
var own = []string{"_keyward/jwt", "_keyward/recovery", "_keyward/move", "backup_settings/storage"}

func fill(t testing.TB, kv vault.KV, documents map[string]vault.Data) {
	t.Helper()
	for path, data := range documents {
		put(t, kv, path, data)
	}
}

// put writes unconditionally.
func put(t testing.TB, kv vault.KV, path string, data vault.Data) {
	t.Helper()
	v, err := kv.Get(t.Context(), path)
	if err != nil && !errors.Is(err, vault.ErrNotFound) {
		t.Fatal(err)
	}
	must.Get(kv.Put(t.Context(), path, data, v.Number))(t)
}

// has compares the document at a path; nil: none.
func has(t testing.TB, kv vault.KV, path string, want vault.Data) {
	t.Helper()
	v, err := kv.Get(t.Context(), path)
	switch {
	case want == nil && !errors.Is(err, vault.ErrNotFound):
		t.Errorf("%s is there: %v", path, err)
	case want != nil && (err != nil || !v.Data.Same(want)):
		t.Errorf("%s holds %s, %v; want %s", path, []byte(v.Data), err, []byte(want))
	}
}

// backup is the output of Read.
type backup map[string]vault.Data

func read(t testing.TB, from vaultpart.Source) backup {
	t.Helper()
	b := backup{}
	count := must.Get(vaultpart.Read(t.Context(), from, func(path string, data vault.Data) error {
		if _, twice := b[path]; twice {
			t.Errorf("%s is there twice", path)
		}
		b[path] = data
		return nil
	}))(t)
	if count.Documents != int64(len(b)) {
		t.Errorf("counted %d, got %d", count.Documents, len(b))
	}
	return b
}

func (b backup) survey(t testing.TB) *vaultpart.Survey {
	t.Helper()
	s := vaultpart.Survey{Judge: restore.Judge{AnyTime: true}}
	for path, data := range b {
		must.OK(t, s.Look(path, data))
	}
	return &s
}

// restore restores all of it.
func (b backup) restore(ctx context.Context, t testing.TB, to vaultpart.Target, o vaultpart.Options) (vaultpart.Report, error) {
	t.Helper()
	w := must.Get(vaultpart.NewWriter(ctx, to, b.survey(t), o))(t)
	for path, data := range b {
		if err := w.Put(path, data); err != nil {
			w.Stop()
			return vaultpart.Report{}, err
		}
	}
	return w.End()
}

// whole demands that nothing went wrong.
func (b backup) whole(t testing.TB, to vaultpart.Target, o vaultpart.Options) vaultpart.Report {
	t.Helper()
	r := must.Get(b.restore(t.Context(), t, to, o))(t)
	if sum := r.Written + r.Kept + r.Merged + r.Skipped; len(r.Failed) > 0 || sum != int64(len(b)) {
		t.Errorf("%d documents, and %+v", len(b), r)
	}
	return r
}

// revocation is of a certificate that an engine has signed.
func revocation(t testing.TB, e engine, csr vault.CSR, at time.Time) vault.Revocation {
	t.Helper()
	issued := must.Get(vaulttest.Sign(t.Context(), e, vault.SignRequest{CSR: csr, CommonName: "alex"}))(t)
	return vault.Revocation{Serial: issued.Serial, At: at, Reason: vault.KeyCompromise, Certificate: issued.Certificate.Raw}
}
