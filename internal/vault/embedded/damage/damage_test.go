// Package damage_test damages the embedded vault's file in bbolt's own structure. It is separate so
// that the race detector does not watch it: reading such a file, bbolt strays into foreign memory,
// and what the vault turns into an error would race with whatever runs there.
package damage_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/test/must"
)

// TestFlippedFileBytes flips single bytes all over the file, bbolt's own structure included. Either
// nothing that counts was hit, and all is as before, or the vault refuses.
func TestFlippedFileBytes(t *testing.T) {
	opts := filled(t)
	file := filepath.Join(opts.Path, "vault.db")
	good := must.Get(os.ReadFile(file))(t)
	refused := 0
	// The garbage collector kills a process when it meets an invalid pointer, and bbolt may hold
	// one while it reads: collect between two files.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for at := 0; at < len(good); at += 61 {
		runtime.GC()
		bad := append([]byte(nil), good...)
		bad[at] ^= 0x41
		must.OK(t, os.WriteFile(file, bad, 0o600))
		e, err := embedded.Open(t.Context(), opts)
		if err != nil {
			refused++
			if !errors.Is(err, vault.ErrTampered) {
				t.Errorf("byte %d: %v", at, err)
			}
			continue
		}
		if e.State(t.Context()) == vault.Connected {
			unchanged(t, e, at)
		}
		if err := e.Close(); err != nil {
			t.Errorf("byte %d: close: %v", at, err)
		}
	}
	if refused < 20 {
		t.Errorf("only %d flips were noticed", refused)
	}
}

func unchanged(t *testing.T, e *embedded.Engine, at int) {
	t.Helper()
	for _, path := range []string{"1111/secrets", "2222/secrets"} {
		if v, err := e.Get(t.Context(), path); err != nil || string(v.Data) != `{"pin":"2"}` {
			t.Errorf("byte %d: %s, %v", at, []byte(v.Data), err)
		}
	}
	if err := e.Verify(t.Context()); err != nil {
		t.Errorf("byte %d: %v", at, err)
	}
}

// filled makes a closed vault with two documents, each written three times, two
// revocations and a CRL.
func filled(t *testing.T) embedded.Options {
	t.Helper()
	dir := t.TempDir()
	opts := embedded.Options{
		Path:       filepath.Join(dir, "vault"),
		Seal:       embedded.FileSeal(filepath.Join(dir, "seal", "key")),
		PublicBase: "https://keys.example.org",
		CAKeyType:  piv.ECP256,
	}
	ctx := t.Context()
	e := must.Get(embedded.Open(ctx, opts))(t)
	for i := range 3 {
		for _, path := range []string{"1111/secrets", "2222/secrets"} {
			must.Get(e.Put(ctx, path, fmt.Appendf(nil, `{"pin":"%d"}`, i), i))(t)
		}
	}
	must.OK(t, e.Revoke(ctx, vault.Revocation{Serial: "41aa"}, vault.Revocation{Serial: "41bb", Reason: vault.Superseded}))
	must.Get(e.CRL(ctx, vault.Active))(t)
	must.OK(t, e.Close())
	return opts
}
