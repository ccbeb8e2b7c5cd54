package embedded_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/test/must"
)

// TestReseal changes the key of each kind of seal: with the vault open or at its start, with the former
// key still there or already gone. At every step, the vault opens with what its file holds then.
func TestReseal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		seal     func(path string) embedded.Seal
		old, new string
		trims    bool // the file is Keyward's own
	}{
		"file": {embedded.FileSeal, keyA, keyB, true},
		"key":  {func(path string) embedded.Seal { return embedded.KeySeal(from(path)) }, keyA, keyB, false},
		"passphrase": {func(path string) embedded.Seal { return embedded.PassphraseSeal(from(path)) },
			"correct horse battery", "a battery of horses", false},
	} {
		for _, running := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "key")
				holds := func(lines ...string) {
					t.Helper()
					must.OK(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
				}
				opts := options(t.TempDir())
				opts.Seal = c.seal(path)
				holds(c.old)
				e := open(t, opts)
				must.Get(e.Put(t.Context(), "a", vault.Data(`{"pin":"1"}`), 0))(t)
				holds(c.old, c.new)
				if running {
					must.OK(t, e.Reseal(t.Context()))
					must.Get(e.Put(t.Context(), "b", vault.Data(`{}`), 0))(t)
				}
				must.OK(t, e.Close())
				e = open(t, opts) // as after a kill, if it was running
				must.OK(t, e.Reseal(t.Context()))
				must.OK(t, e.Close())
				if left := string(must.Get(os.ReadFile(path))(t)); c.trims != (left == c.new+"\n") {
					t.Errorf("%d bytes are left in the key's file", len(left))
				}
				holds(c.old)
				e = open(t, opts)
				checkSealed(t, e)
				holds(c.new)
				must.OK(t, e.Reseal(t.Context()))
				if v, err := e.Get(t.Context(), "a"); err != nil || string(v.Data) != `{"pin":"1"}` {
					t.Errorf("with the new key: %v", err)
				}
				must.OK(t, e.Close())
			})
		}
	}
}

// TestResealRefused: a new key that is none, or too short a passphrase, changes nothing.
func TestResealRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		seal     func(path string) embedded.Seal
		old, new string
	}{
		"no key": {embedded.FileSeal, keyA, "x"},
		"short":  {func(path string) embedded.Seal { return embedded.PassphraseSeal(from(path)) }, "correct horse battery", "short"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "key")
			opts := options(t.TempDir())
			opts.Seal = c.seal(path)
			must.OK(t, os.WriteFile(path, []byte(c.old), 0o600))
			e := open(t, opts)
			must.OK(t, os.WriteFile(path, []byte(c.old+"\n"+c.new), 0o600))
			if err := e.Reseal(t.Context()); err == nil || strings.Contains(err.Error(), c.old) {
				t.Errorf("the new key: %v", err)
			}
			must.Get(e.Put(t.Context(), "a", vault.Data(`{}`), 0))(t)
			must.OK(t, e.Close())
			e = open(t, opts) // a mistake in its file must not seal it
			must.Get(e.Get(t.Context(), "a"))(t)
			must.OK(t, e.Close())
		})
	}
}

// TestPassphraseOfLines: a passphrase with a line break is one passphrase, and no list.
func TestPassphraseOfLines(t *testing.T) {
	t.Parallel()
	const first, second = "correct horse battery", "a battery of horses"
	opts := options(t.TempDir())
	for _, c := range []struct {
		text  string
		opens bool
	}{{first + "\n" + second, true}, {first + "\n" + second, true}, {second, false}, {first, false}} {
		opts.Seal = embedded.PassphraseSeal(secret.Fixed(c.text))
		e := open(t, opts)
		if s := e.State(t.Context()); (s == vault.Connected) != c.opens {
			t.Errorf("with %d characters it is %s", len(c.text), s)
		}
		must.OK(t, e.Close())
	}
}

// from is a seal's key in an operator's file.
func from(path string) func() (secret.String, error) {
	return func() (secret.String, error) {
		text, err := os.ReadFile(path)
		return secret.New(strings.TrimSuffix(string(text), "\n")), err
	}
}
