package embedded_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/test/must"
)

// record is one key and value in the file.
type record struct {
	bucket, key string
	value       []byte
}

// filled makes a vault with a little of everything and closes it.
func filled(t *testing.T) embedded.Options {
	t.Helper()
	opts := options(t.TempDir())
	e := open(t, opts)
	ctx := t.Context()
	for i := range 3 {
		for _, path := range []string{"1111/secrets", "2222/secrets"} {
			must.Get(e.Put(ctx, path, fmt.Appendf(nil, `{"pin":"%d"}`, i), i))(t)
		}
	}
	must.OK(t, e.Revoke(ctx, vault.Revocation{Serial: "41aa"}, vault.Revocation{Serial: "41bb", Reason: vault.Superseded}))
	must.Get(e.CRL(ctx, vault.Active))(t)
	next := must.Get(e.NewCA(ctx, vault.NewCA{KeyType: piv.ECP256, CommonName: "Next", SelfSigned: true}))(t)
	must.OK(t, e.ActivateCA(ctx, next.ID))
	must.OK(t, e.Revoke(ctx, vault.Revocation{Serial: "41cc", CA: next.ID}))
	must.Get(e.CRL(ctx, next.ID))(t)
	must.Get(e.NewCA(ctx, vault.NewCA{KeyType: piv.ECP256, CommonName: "Requested"}))(t)
	must.OK(t, e.Close())
	return opts
}

// edit changes the file behind the vault's back.
func edit(t *testing.T, opts embedded.Options, change func(*bolt.Tx) error) {
	t.Helper()
	db := must.Get(bolt.Open(filepath.Join(opts.Path, "vault.db"), 0o600, nil))(t)
	must.OK(t, errors.Join(db.Update(change), db.Close()))
}

func records(t *testing.T, opts embedded.Options) (all []record) {
	t.Helper()
	edit(t, opts, func(tx *bolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bolt.Bucket) error {
			return b.ForEach(func(k, v []byte) error {
				all = append(all, record{string(name), string(k), bytes.Clone(v)})
				return nil
			})
		})
	})
	return all
}

func store(r record) func(*bolt.Tx) error {
	return func(tx *bolt.Tx) error { return tx.Bucket([]byte(r.bucket)).Put([]byte(r.key), r.value) }
}

func remove(r record) func(*bolt.Tx) error {
	return func(tx *bolt.Tx) error { return tx.Bucket([]byte(r.bucket)).Delete([]byte(r.key)) }
}

// noticed opens the vault and expects a refusal.
func noticed(t *testing.T, opts embedded.Options, what string) {
	t.Helper()
	e, err := embedded.Open(t.Context(), opts)
	if err == nil {
		state := e.State(t.Context())
		_ = e.Close()
		// An edited header may look like another key; nothing is served then.
		if state != vault.Sealed {
			t.Errorf("%s was not noticed", what)
		}
		return
	}
	if !errors.Is(err, vault.ErrTampered) {
		t.Errorf("%s: %v", what, err)
	}
}

func TestTamperedRecords(t *testing.T) {
	t.Parallel()
	opts := filled(t)
	all := records(t, opts)
	if len(all) < 8 {
		t.Fatalf("%d records", len(all))
	}
	for _, r := range all {
		name := r.bucket + " " + fmt.Sprintf("%q", r.key)
		for _, at := range []int{0, len(r.value) / 3, len(r.value) / 2, len(r.value) - 1} {
			changed := r
			changed.value = bytes.Clone(r.value)
			changed.value[at] ^= 1
			edit(t, opts, store(changed))
			noticed(t, opts, fmt.Sprintf("%s: byte %d", name, at))
		}
		short := r
		short.value = r.value[:len(r.value)-1]
		edit(t, opts, store(short))
		noticed(t, opts, name+": a byte less")
		edit(t, opts, remove(r))
		noticed(t, opts, name+": removed")
		edit(t, opts, store(r))
	}
	open(t, opts) // whole again
}

func TestSwappedAndInsertedRecords(t *testing.T) {
	t.Parallel()
	opts := filled(t)
	all := records(t, opts)
	for i, a := range all {
		for _, b := range all[i+1:] {
			if a.bucket != b.bucket {
				continue
			}
			x, y := a, b
			x.value, y.value = b.value, a.value
			edit(t, opts, func(tx *bolt.Tx) error { return errors.Join(store(x)(tx), store(y)(tx)) })
			noticed(t, opts, fmt.Sprintf("%s: %q and %q swapped", a.bucket, a.key, b.key))
			edit(t, opts, func(tx *bolt.Tx) error { return errors.Join(store(a)(tx), store(b)(tx)) })
		}
		added := a
		added.key += "0"
		edit(t, opts, store(added))
		noticed(t, opts, fmt.Sprintf("%s: a copy of %q", a.bucket, a.key))
		edit(t, opts, remove(added))
	}
	open(t, opts)
}

// TestReplayedRecords restores every changed record from an older copy, one at a time; each was
// valid once, at that very place.
func TestReplayedRecords(t *testing.T) {
	t.Parallel()
	opts := filled(t)
	old := records(t, opts)
	e := open(t, opts)
	must.Get(e.Put(t.Context(), "1111/secrets", vault.Data(`{"pin":"new"}`), 3))(t)
	must.OK(t, e.DestroyPath(t.Context(), "2222/secrets"))
	must.Get(e.Put(t.Context(), "2222/secrets", vault.Data(`{"pin":"new"}`), 0))(t)
	must.Get(e.CRL(t.Context(), vault.Active))(t)
	must.OK(t, e.Close())
	now := map[string]record{}
	for _, r := range records(t, opts) {
		now[r.bucket+" "+r.key] = r
	}
	replayed := 0
	for _, r := range old {
		present, there := now[r.bucket+" "+r.key]
		if there && bytes.Equal(present.value, r.value) {
			continue
		}
		replayed++
		edit(t, opts, store(r))
		noticed(t, opts, fmt.Sprintf("%s: %q from an older copy", r.bucket, r.key))
		if there {
			edit(t, opts, store(present))
		} else {
			edit(t, opts, remove(r))
		}
	}
	if replayed < 4 {
		t.Errorf("only %d records changed", replayed)
	}
	open(t, opts)
}

func TestUnknownAndMissingBuckets(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*bolt.Tx) error{
		"unknown": func(tx *bolt.Tx) error { _, err := tx.CreateBucket([]byte("more")); return err },
		"missing": func(tx *bolt.Tx) error { return tx.DeleteBucket([]byte("revoked")) },
		"nested": func(tx *bolt.Tx) error {
			_, err := tx.Bucket([]byte("documents")).CreateBucket([]byte("more"))
			return err
		},
		"no meta": func(tx *bolt.Tx) error { return tx.DeleteBucket([]byte("meta")) },
	} {
		opts := filled(t)
		edit(t, opts, change)
		noticed(t, opts, name+" bucket")
	}
}

// TestFileOfAnotherKind: what is no vault is never overwritten.
func TestFileOfAnotherKind(t *testing.T) {
	t.Parallel()
	opts := options(t.TempDir())
	must.OK(t, os.MkdirAll(opts.Path, 0o700))
	file := filepath.Join(opts.Path, "vault.db")
	content := bytes.Repeat([]byte("precious "), 9000)
	must.OK(t, os.WriteFile(file, content, 0o600))
	noticed(t, opts, "a file of another kind")
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, content) {
		t.Errorf("it was changed, %v", err)
	}
}

// TestZeroFile: what power loss leaves of a first write that never happened.
func TestZeroFile(t *testing.T) {
	t.Parallel()
	opts := options(t.TempDir())
	must.OK(t, os.MkdirAll(opts.Path, 0o700))
	must.OK(t, os.WriteFile(filepath.Join(opts.Path, "vault.db"), make([]byte, 16<<10), 0o600))
	if s := open(t, opts).State(t.Context()); s != vault.Connected {
		t.Errorf("state %s", s)
	}
}
