package objstoretest

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/test/must"
)

// listed: newest first by the time in the name, whatever its type; nothing else.
func listed(t *testing.T, h Harness) {
	s := h.Open(t, "nightly/")
	if got := listing(t, s); got != nil {
		t.Errorf("at first: %q", got)
	}
	for _, n := range []objstore.Name{name("full", 3), name("vault", 1), name("database", 2), name("vault", 4), name("database", 3)} {
		put(t, s, n.Key(s.Prefix()), content(t, 10))
	}
	for _, other := range []string{
		"backup-full-20260329-000009.enc.tmp", "backup-full-20260329-000009", "backup-full-20261329-000009.enc",
		"backup-full-20260329-240009.enc",
		"backup-FULL-20260329-000009.enc", "backup-other-20260329-000009.enc", "xbackup-full-20260329-000009.enc", "audit-head.json",
		"deeper/backup-full-20260329-000009.enc", "backup-full-2026/0329-000009.enc",
	} {
		put(t, s, s.Prefix()+other, content(t, 1))
	}
	for _, prefix := range []string{"", "nightlyish/", "nightly"} {
		other := h.Open(t, prefix)
		put(t, other, key(other, 8), content(t, 1))
	}
	want := []string{
		"backup-vault-20260329-000004.enc", "backup-full-20260329-000003.enc", "backup-database-20260329-000003.enc",
		"backup-database-20260329-000002.enc", "backup-vault-20260329-000001.enc",
	}
	if diff := cmp.Diff(want, listing(t, s)); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	all, total, err := objstore.Newest(t.Context(), s, 2, "")
	if err != nil || total != 5 || len(all) != 2 || all[0].Size != 10 || all[0].Key != "nightly/"+want[0] || all[1].Key != "nightly/"+want[1] {
		t.Errorf("the newest two of %d: %+v, %v", total, all, err)
	}
	if o := must.Get(s.Stat(t.Context(), all[0].Key))(t); o != all[0] {
		t.Errorf("listed as %+v, and is %+v", all[0], o)
	}
}

// manyListed: more than a page, and more than are listed at most.
func manyListed(t *testing.T, h Harness) {
	s := h.Open(t, "")
	const many = objstore.MaxListed + 2
	var keys []string
	for n := range many {
		keys = append(keys, name([]string{"vault", "full", "database"}[n%3], n).Key(""))
	}
	h.Fill(t, keys)
	all, total, err := objstore.Newest(t.Context(), s, objstore.MaxListed, "")
	if err != nil || total != many || len(all) != objstore.MaxListed {
		t.Fatalf("%d of %d: %v", len(all), total, err)
	}
	for i, o := range all {
		if n, ok := objstore.ParseName("", o.Key); !ok || !n.At.Equal(begun.Add(time.Duration(many-1-i)*time.Second)) {
			t.Fatalf("at place %d is %q", i, o.Key)
		}
	}
}

func callback(t *testing.T, h Harness) {
	s := h.Open(t, "")
	for n := range 3 {
		put(t, s, key(s, n), nil)
	}
	stop, calls := errors.New("enough"), 0
	err := s.Each(t.Context(), func(objstore.Object) error { calls++; return stop })
	if !errors.Is(err, stop) || calls != 1 {
		t.Errorf("after %d calls: %v", calls, err)
	}
}

// keys: those of other objects below the prefix may be anything that is safe.
func keys(t *testing.T, h Harness) {
	const prefix = "kept here/"
	s := h.Open(t, prefix)
	for _, good := range []string{
		"audit head.json", "a/b/c/d.txt", "schlüssel-日本語-🔑.bin", "plus+and&and=and?and#and%41.bin", "quote'\"<>.bin", "x..y", "~tilde",
		"a:b,c;d@e!f*g(h)",
	} {
		want := content(t, 33)
		put(t, s, prefix+good, want)
		holds(t, s, prefix+good, want)
		if o, err := s.Stat(t.Context(), prefix+good); err != nil || o.Key != prefix+good || o.Size != 33 {
			t.Errorf("%q: %+v, %v", good, o, err)
		}
		link := must.Get(s.Link(t.Context(), prefix+good))(t)
		if status, body := h.Fetch(t, link.URL); status != http.StatusOK || string(body) != string(want) {
			t.Errorf("%q by its link: %d", good, status)
		}
		must.OK(t, s.Delete(t.Context(), prefix+good))
	}
	for _, bad := range []string{
		"", prefix, "other/" + name("full", 1).Key(""), name("full", 1).Key(""), prefix + "../x", prefix + "a/../../x", prefix + "a/./x",
		prefix + "..",
		prefix + "a//x", prefix + "a/", prefix + `a\x`, prefix + "a\x00", prefix + "a\nb", prefix + "\xff", prefix + ".hidden", prefix + "a/.new-1",
		prefix + strings.Repeat("k", 256), prefix + strings.Repeat("long/", 210) + "x", "/" + prefix + "x",
	} {
		for what, err := range map[string]error{
			"Put": second(s.Put(t.Context(), bad, stream(nil))), "Stat": second(s.Stat(t.Context(), bad)), "Delete": s.Delete(t.Context(), bad),
			"Open": second(s.Open(t.Context(), bad, 0, -1)), "Link": second(s.Link(t.Context(), bad)),
		} {
			if !errors.Is(err, objstore.ErrInvalid) || !fault.Is(err, fault.InvalidRequest) {
				t.Errorf("%s %q: %v", what, bad, err)
			}
		}
	}
}

func prefixes(t *testing.T, h Harness) {
	for n, prefix := range []string{"", "with/", "without", "two/parts", "two/folders/", "a space/", "ümläut/日本/", "+%41&?/"} {
		s := h.Open(t, prefix)
		want := content(t, 40+n)
		put(t, s, key(s, n), want)
		holds(t, s, key(s, n), want)
		if got := listing(t, s); len(got) != 1 || prefix+got[0] != key(s, n) {
			t.Errorf("%q: listed %q", prefix, got)
		}
		h.Abandon(t, key(s, 50))
		if swept, err := s.Sweep(t.Context(), time.Now().Add(time.Hour)); swept != h.swept(1) || err != nil {
			t.Errorf("%q: swept %d, %v", prefix, swept, err)
		}
		must.Get(objstore.Probe(t.Context(), s))(t)
		must.OK(t, s.Delete(t.Context(), key(s, n)))
		empty(t, s, key(s, n))
	}
}

func linked(t *testing.T, h Harness) {
	s := h.Open(t, "p/")
	want := content(t, 6*mebi)
	put(t, s, key(s, 1), want)
	put(t, s, key(s, 2), content(t, 10))
	before := time.Now().Truncate(time.Second)
	link := must.Get(s.Link(t.Context(), key(s, 1)))(t)
	if link.ExpiresAt.Before(before.Add(objstore.LinkLifetime)) || link.ExpiresAt.After(time.Now().Add(objstore.LinkLifetime)) {
		t.Errorf("it lasts until %v", link.ExpiresAt)
	}
	if status, body := h.Fetch(t, link.URL); status != http.StatusOK || string(body) != string(want) {
		t.Errorf("the link gives %d with %d bytes", status, len(body))
	}
	for _, forged := range []string{
		strings.Replace(link.URL, "000001", "000002", 1), strings.Replace(link.URL, "3600", "9999", 1) + "0", link.URL + "&x=1",
	} {
		if status, body := h.Fetch(t, forged); status/100 != 4 {
			t.Errorf("%d with %d bytes for a forged link", status, len(body))
		}
	}
}

// swept: what a killed write has left is never listed, and goes when it is old.
func swept(t *testing.T, h Harness) {
	s, other := h.Open(t, "s/"), h.Open(t, "other/")
	h.Abandon(t, key(s, 1))
	h.Abandon(t, key(s, 2))
	h.Abandon(t, key(other, 3))
	put(t, s, key(s, 5), content(t, 10))
	if got := listing(t, s); len(got) != 1 {
		t.Errorf("listed: %q", got)
	}
	for _, c := range []struct {
		before time.Time
		want   int
	}{{time.Now().Add(-objstore.Abandoned), 0}, {time.Now().Add(time.Hour), h.swept(2)}, {time.Now().Add(time.Hour), 0}} {
		if n, err := s.Sweep(t.Context(), c.before); n != c.want || err != nil {
			t.Errorf("swept %d, want %d: %v", n, c.want, err)
		}
	}
	if n := must.Get(other.Sweep(t.Context(), time.Now().Add(time.Hour)))(t); n != h.swept(1) {
		t.Errorf("another prefix: %d are left of one", n)
	}
	put(t, s, key(s, 1), content(t, 10)) // nothing is in the way
}

func probed(t *testing.T, h Harness) {
	s := h.Open(t, "p/")
	put(t, s, key(s, 1), content(t, 10))
	if took := must.Get(objstore.Probe(t.Context(), s))(t); took <= 0 {
		t.Errorf("it took %v", took)
	}
	if got := listing(t, s); fmt.Sprint(got) != "[backup-full-20260329-000001.enc]" {
		t.Errorf("listed: %q", got)
	}
}
