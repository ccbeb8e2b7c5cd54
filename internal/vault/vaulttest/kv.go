package vaulttest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/vault"
)

var kvCases = []testCase{
	{"absent", testAbsent},
	{"versions", testVersions},
	{"check-and-set", testCAS},
	{"delete and undelete", testDelete},
	{"deleted counts as current", testDeletedIsCurrent},
	{"destroy path", testDestroyPath},
	{"max versions", testMaxVersions},
	{"metadata", testMetadata},
	{"list", testList},
	{"document above another", testDocumentAboveAnother},
}

func testAbsent(t *testing.T, h Harness) {
	path := freshPath("absent")
	ctx := t.Context()
	if _, err := h.Engine.Get(ctx, path); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("Get: %v", err)
	}
	if _, err := h.Engine.GetVersion(ctx, path, 1); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("GetVersion: %v", err)
	}
	if _, err := h.Engine.Metadata(ctx, path); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("Metadata: %v", err)
	}
	if err := h.Engine.Undelete(ctx, path, 1); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("Undelete: %v", err)
	}
	if err := h.Engine.Delete(ctx, path); err != nil {
		t.Errorf("Delete: %v", err)
	}
	if err := h.Engine.DestroyPath(ctx, path); err != nil {
		t.Errorf("DestroyPath: %v", err)
	}
	names, err := h.Engine.List(ctx, path)
	if err != nil || len(names) != 0 {
		t.Errorf("List: %v, %v", names, err)
	}
}

func testVersions(t *testing.T, h Harness) {
	path := freshPath("secrets")
	begin := time.Now()
	if n := put(t, h, path, vault.Data{"pin": "111111"}, 0); n != 1 {
		t.Errorf("first version is %d", n)
	}
	if n := put(t, h, path, vault.Data{"pin": "222222"}, 1); n != 2 {
		t.Errorf("second version is %d", n)
	}
	latest, err := h.Engine.Get(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if latest.Number != 2 || !cmp.Equal(latest.Data, vault.Data{"pin": "222222"}) {
		t.Errorf("latest is %d", latest.Number)
	}
	if d := latest.CreatedAt.Sub(begin); d < -time.Minute || d > time.Minute {
		t.Errorf("CreatedAt is %v from now", d)
	}
	first, err := h.Engine.GetVersion(t.Context(), path, 1)
	if err != nil {
		t.Fatal(err)
	}
	if first.Number != 1 || !cmp.Equal(first.Data, vault.Data{"pin": "111111"}) {
		t.Errorf("version 1 is %d", first.Number)
	}
	for _, n := range []int{-1, 0, 3} {
		if _, err := h.Engine.GetVersion(t.Context(), path, n); !errors.Is(err, vault.ErrNotFound) {
			t.Errorf("GetVersion(%d): %v", n, err)
		}
	}
}

func testCAS(t *testing.T, h Harness) {
	path := freshPath("cas")
	ctx := t.Context()
	if _, err := h.Engine.Put(ctx, path, vault.Data{"a": "x"}, 1); !errors.Is(err, vault.ErrCAS) {
		t.Errorf("cas 1 on nothing: %v", err)
	}
	put(t, h, path, vault.Data{"a": "1"}, 0)
	for _, cas := range []int{0, 2, 7} {
		if _, err := h.Engine.Put(ctx, path, vault.Data{"a": "no"}, cas); !errors.Is(err, vault.ErrCAS) {
			t.Errorf("cas %d on version 1: %v", cas, err)
		}
	}
	if _, err := h.Engine.Put(ctx, path, vault.Data{"a": "no"}, -2); !errors.Is(err, vault.ErrInvalid) {
		t.Errorf("cas -2: %v", err)
	}
	got, err := h.Engine.Get(ctx, path)
	if err != nil || got.Number != 1 || got.Data["a"] != "1" {
		t.Errorf("a refused write changed the document: version %d, %v", got.Number, err)
	}
	if n := put(t, h, path, vault.Data{"a": "2"}, vault.AnyVersion); n != 2 {
		t.Errorf("unchecked write made version %d", n)
	}
}

func testDelete(t *testing.T, h Harness) {
	path := freshPath("deleted")
	ctx := t.Context()
	put(t, h, path, vault.Data{"a": "1"}, 0)
	put(t, h, path, vault.Data{"a": "2"}, 1)
	for range 2 { // again is no error
		if err := h.Engine.Delete(ctx, path); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.Engine.Get(ctx, path); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("Get of a deleted: %v", err)
	}
	if _, err := h.Engine.GetVersion(ctx, path, 2); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("GetVersion of a deleted: %v", err)
	}
	if v, err := h.Engine.GetVersion(ctx, path, 1); err != nil || v.Data["a"] != "1" {
		t.Errorf("the version before a deleted one: %v", err)
	}
	if err := h.Engine.Undelete(ctx, path, 9); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("Undelete of an absent version: %v", err)
	}
	for range 2 {
		if err := h.Engine.Undelete(ctx, path, 2); err != nil {
			t.Fatal(err)
		}
	}
	if v, err := h.Engine.Get(ctx, path); err != nil || v.Number != 2 || v.Data["a"] != "2" {
		t.Errorf("after Undelete: version %d, %v", v.Number, err)
	}
}

func testDeletedIsCurrent(t *testing.T, h Harness) {
	path := freshPath("tombstone")
	ctx := t.Context()
	put(t, h, path, vault.Data{"a": "1"}, 0)
	if err := h.Engine.Delete(ctx, path); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Engine.Put(ctx, path, vault.Data{"a": "x"}, 0); !errors.Is(err, vault.ErrCAS) {
		t.Errorf("cas 0 over a deleted version: %v", err)
	}
	if n := put(t, h, path, vault.Data{"a": "2"}, 1); n != 2 {
		t.Errorf("version after a deleted one is %d", n)
	}
}

func testDestroyPath(t *testing.T, h Harness) {
	path := freshPath("destroyed")
	ctx := t.Context()
	put(t, h, path, vault.Data{"a": "1"}, 0)
	put(t, h, path, vault.Data{"a": "2"}, 1)
	if err := h.Engine.DestroyPath(ctx, path); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Engine.Metadata(ctx, path); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("Metadata after DestroyPath: %v", err)
	}
	if err := h.Engine.Undelete(ctx, path, 1); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("Undelete after DestroyPath: %v", err)
	}
	if n := put(t, h, path, vault.Data{"a": "new"}, 0); n != 1 {
		t.Errorf("first version after DestroyPath is %d", n)
	}
}

func testMaxVersions(t *testing.T, h Harness) {
	path := freshPath("many")
	ctx := t.Context()
	const writes = vault.MaxVersions + 3
	for i := range writes {
		put(t, h, path, vault.Data{"n": i + 1}, i)
	}
	for n := writes - vault.MaxVersions + 1; n <= writes; n++ {
		if _, err := h.Engine.GetVersion(ctx, path, n); err != nil {
			t.Errorf("version %d of %d: %v", n, writes, err)
		}
	}
	if _, err := h.Engine.GetVersion(ctx, path, 1); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("version 1 of %d: %v", writes, err)
	}
	if err := h.Engine.Undelete(ctx, path, 1); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("Undelete of a version that was destroyed: %v", err)
	}
	m, err := h.Engine.Metadata(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	if m.CurrentVersion != writes || m.OldestVersion != writes-vault.MaxVersions+1 {
		t.Errorf("metadata: current %d, oldest %d", m.CurrentVersion, m.OldestVersion)
	}
}

func testMetadata(t *testing.T, h Harness) {
	path := freshPath("meta")
	ctx := t.Context()
	put(t, h, path, vault.Data{"a": "1"}, 0)
	put(t, h, path, vault.Data{"a": "2"}, 1)
	if err := h.Engine.Delete(ctx, path); err != nil {
		t.Fatal(err)
	}
	m, err := h.Engine.Metadata(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	if m.CurrentVersion != 2 || m.OldestVersion != 1 || len(m.Versions) != 2 {
		t.Fatalf("current %d, oldest %d, %d versions", m.CurrentVersion, m.OldestVersion, len(m.Versions))
	}
	for i, v := range m.Versions {
		if v.Number != i+1 || v.Destroyed || v.CreatedAt.IsZero() || (v.DeletedAt != nil) != (v.Number == 2) {
			t.Errorf("version at %d: %+v", i, v)
		}
	}
	if m.CreatedAt.After(m.UpdatedAt) || m.CreatedAt.IsZero() {
		t.Errorf("created %v, updated %v", m.CreatedAt, m.UpdatedAt)
	}
}

func testList(t *testing.T, h Harness) {
	root := freshPath("list")
	ctx := t.Context()
	for _, name := range []string{"b", "a/x/1", "a/x/2", "a/y", "a-1", "a", "c/z", "B", "a.b"} {
		put(t, h, root+"/"+name, vault.Data{"v": name}, 0)
	}
	if err := h.Engine.Delete(ctx, root+"/b"); err != nil {
		t.Fatal(err)
	}
	parent, base, _ := strings.Cut(root, "/")
	for _, c := range []struct {
		prefix string
		want   []string
	}{
		{root, []string{"B", "a", "a-1", "a.b", "a/", "b", "c/"}},
		{root + "/a", []string{"x/", "y"}},
		{root + "/a/x", []string{"1", "2"}},
		{root + "/a/x/1", []string{}},
		{root + "/absent", []string{}},
		{parent, []string{base + "/"}},
	} {
		got, err := h.Engine.List(ctx, c.prefix)
		if err != nil {
			t.Fatal(err)
		}
		if got == nil {
			got = []string{}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("List %s: %s", strings.TrimPrefix(c.prefix, root), diff)
		}
	}
	top, err := h.Engine.List(ctx, "")
	if err != nil || !contains(top, parent+"/") {
		t.Errorf("List of the root lacks an entry: %v", err)
	}
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

func testDocumentAboveAnother(t *testing.T, h Harness) {
	path := freshPath("above")
	put(t, h, path, vault.Data{"which": "above"}, 0)
	put(t, h, path+"/below", vault.Data{"which": "below"}, 0)
	if err := h.Engine.DestroyPath(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	got, err := h.Engine.Get(t.Context(), path+"/below")
	if err != nil || got.Data["which"] != "below" {
		t.Errorf("DestroyPath reached below: %v", err)
	}
}
