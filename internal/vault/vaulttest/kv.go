package vaulttest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var kvCases = []testCase{
	{"absent", testAbsent},
	{"check-and-set", testCAS},
	{"destroy path", testDestroyPath},
	{"many versions", testManyVersions},
	{"metadata", testMetadata},
	{"list", testList},
	{"document above another", testDocumentAboveAnother},
}

func testAbsent(t *testing.T, h Harness) {
	path := "webhook_secrets/" + freshPath("absent") // where Keyward removes what it has written
	ctx := t.Context()
	if _, err := h.Engine.Get(ctx, path); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("Get: %v", err)
	}
	if _, err := h.Engine.Metadata(ctx, path); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("Metadata: %v", err)
	}
	if err := h.Engine.DestroyPath(ctx, path); err != nil {
		t.Errorf("DestroyPath: %v", err)
	}
	names, err := h.Engine.List(ctx, path)
	if err != nil || len(names) != 0 {
		t.Errorf("List: %v, %v", names, err)
	}
}

func testCAS(t *testing.T, h Harness) {
	path := freshPath("cas")
	refused := func(cas int, want error) {
		t.Helper()
		if _, err := h.Engine.Put(t.Context(), path, vault.Data(`{"a":"no"}`), cas); !errors.Is(err, want) {
			t.Errorf("cas %d: %v", cas, err)
		}
	}
	refused(1, vault.ErrCAS)
	put(t, h, path, `{"a":"1"}`, 0)
	for _, cas := range []int{0, 2, 7} {
		refused(cas, vault.ErrCAS)
	}
	refused(-1, vault.ErrInvalid)
	holds(t, h, path, 1, `{"a":"1"}`)
}

func testDestroyPath(t *testing.T, h Harness) {
	path := "webhook_secrets/" + freshPath("destroyed")
	ctx := t.Context()
	put(t, h, path, `{"a":"1"}`, 0)
	put(t, h, path, `{"a":"2"}`, 1)
	for range 2 { // again is no error
		must.OK(t, h.Engine.DestroyPath(ctx, path))
	}
	if _, err := h.Engine.Get(ctx, path); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("Get after DestroyPath: %v", err)
	}
	if _, err := h.Engine.Metadata(ctx, path); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("Metadata after DestroyPath: %v", err)
	}
	put(t, h, path, `{"a":"new"}`, 0)
	holds(t, h, path, 1, `{"a":"new"}`)
}

// testManyVersions: more than a Vault keeps by itself (10).
func testManyVersions(t *testing.T, h Harness) {
	path := freshPath("many")
	for i := range 13 {
		put(t, h, path, fmt.Sprintf(`{"n":%d}`, i+1), i)
	}
	holds(t, h, path, 13, `{"n":13}`)
}

func testMetadata(t *testing.T, h Harness) {
	path := freshPath("meta")
	ctx := t.Context()
	begin := time.Now()
	put(t, h, path, `{"a":"1"}`, 0)
	first := must.Get(h.Engine.Metadata(ctx, path))(t)
	if d := first.CreatedAt.Sub(begin); first.CurrentVersion != 1 || d < -time.Minute || d > time.Minute {
		t.Errorf("version %d, made %v from now", first.CurrentVersion, d)
	}
	put(t, h, path, `{"a":"2"}`, 1)
	m := must.Get(h.Engine.Metadata(ctx, path))(t)
	if m.CurrentVersion != 2 || !m.CreatedAt.Equal(first.CreatedAt) || m.UpdatedAt.Before(m.CreatedAt) {
		t.Errorf("%+v after %+v", m, first)
	}
}

func testList(t *testing.T, h Harness) {
	root := freshPath("list")
	ctx := t.Context()
	for _, name := range []string{"b", "a/x/1", "a/x/2", "a/y", "a-1", "a", "c/z", "B", "a.b"} {
		put(t, h, root+"/"+name, fmt.Sprintf(`{"v":%q}`, name), 0)
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
		got := must.Get(h.Engine.List(ctx, c.prefix))(t)
		if got == nil {
			got = []string{}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("List %s: %s", strings.TrimPrefix(c.prefix, root), diff)
		}
	}
	top, err := h.Engine.List(ctx, "")
	if err != nil || !slices.Contains(top, parent+"/") {
		t.Errorf("List of the root lacks an entry: %v", err)
	}
}

func testDocumentAboveAnother(t *testing.T, h Harness) {
	path := "webhook_secrets/" + freshPath("above")
	put(t, h, path, `{"which":"above"}`, 0)
	put(t, h, path+"/below", `{"which":"below"}`, 0)
	must.OK(t, h.Engine.DestroyPath(t.Context(), path))
	holds(t, h, path+"/below", 1, `{"which":"below"}`)
}
