package objstore_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/must"
)

var at = time.Date(2026, 11, 22, 23, 5, 9, 0, time.UTC)

// Names are those of the specification ("Backup file"), in UTC in any time zone.
func TestNames(t *testing.T) {
	t.Parallel()
	n := objstore.Name{Type: "full", At: at.In(time.FixedZone("", 5*3600))}
	if got := n.Key("nightly"); got != "nightlybackup-full-20261122-230509.enc" {
		t.Errorf("the key is %q", got)
	}
	for key, want := range map[string]string{
		"p/backup-full-20261122-230509.enc":      "full",
		"p/backup-database-20261122-230509.enc":  "database",
		"p/backup-vault-20261122-230509.enc":     "vault",
		"backup-full-20261122-230509.enc":        "",
		"q/backup-full-20261122-230509.enc":      "",
		"p/p/backup-full-20261122-230509.enc":    "",
		"p/backup-full-20261131-230509.enc":      "", // November has 30 days
		"p/backup-full-20261322-230509.enc":      "",
		"p/backup-full-20261122-250000.enc":      "",
		"p/backup-full-20261122-230560.enc":      "",
		"p/backup-full-20261122-230509":          "",
		"p/backup-half-20261122-230509.enc":      "",
		"p/backup-full-20261122-230509.enc.part": "",
		"p/backup-full-20261122-23050.enc":       "",
		"p/backup-full-20261122-230509.enc\n":    "",
		"p/backup--20261122-230509.enc":          "",
		"p/backup-full-２０２６1122-230509.enc":      "",
	} {
		got, ok := objstore.ParseName("p/", key)
		if ok != (want != "") || ok && (got.Type != want || !got.At.Equal(at)) {
			t.Errorf("%q: %+v, %v", key, got, ok)
		}
	}
}

func TestPrefixes(t *testing.T) {
	t.Parallel()
	for prefix, ok := range map[string]bool{
		"": true, "a": true, "a/": true, "a/b": true, "ä ö/": true, strings.Repeat("a", 191): true, strings.Repeat("a/", 479): true,
		"/": false, "/a": false, "a//": false, ".a/": false, "a/.": false, "../": false, `a\`: false, "a\n": false, "\xff": false,
		strings.Repeat("a", 192): false, strings.Repeat("a/", 480): false,
	} {
		wrong := objstore.CheckPrefix("prefix", prefix)
		if ok != (wrong == nil) || !ok && wrong[0].Field != "prefix" {
			t.Errorf("%q: %v", prefix, wrong)
		}
		// A valid prefix makes valid keys, whatever the time.
		if key := (objstore.Name{Type: "database", At: at}).Key(prefix); ok && objstore.CheckKey(prefix, key) != nil {
			t.Errorf("%q: no key", key)
		}
	}
}

// A link is valid for its key and time, and nothing in it can be changed.
func TestLinks(t *testing.T) {
	t.Parallel()
	long := secret.New(strings.Repeat("s", 32))
	links := must.Get(objstore.NewLinks("https://keys.example.org/", long))(t)
	const key = "a b/ü&x=1/backup-full-20261122-230509.enc"
	link := links.Sign(key, 7, at.Add(700*time.Millisecond))
	u := must.Get(url.Parse(link.URL))(t)
	if !strings.HasPrefix(link.URL, "https://keys.example.org/api/backup/blob?") || !link.ExpiresAt.Equal(at) {
		t.Errorf("%+v", link)
	}
	if got, maker, err := links.Verify(u.Query(), at.Add(-time.Nanosecond)); got != key || maker != 7 || err != nil {
		t.Errorf("%q, %d, %v", got, maker, err)
	}
	if _, _, err := links.Verify(u.Query(), at); reason(err) != "blob_link_ended" {
		t.Errorf("at its end: %v", err)
	}
	for name, change := range map[string]func(url.Values){
		"another key":     func(q url.Values) { q.Set("key", "a b/ü&x=1/backup-full-20261122-230510.enc") },
		"another maker":   func(q url.Values) { q.Set("maker", "8") },
		"longer":          func(q url.Values) { q.Set("expires", "1795388710") },
		"a moved border":  func(q url.Values) { q.Set("expires", q.Get("expires")+"\na"); q.Set("key", q.Get("key")[1:]) },
		"no signature":    func(q url.Values) { q.Del("signature") },
		"half of it":      func(q url.Values) { q.Set("signature", q.Get("signature")[:20]) },
		"another's":       func(q url.Values) { q.Set("signature", strings.Repeat("A", 43)) },
		"two keys":        func(q url.Values) { q.Add("key", "b") },
		"more than there": func(q url.Values) { q.Set("as", "x") },
		"nothing":         func(q url.Values) { clear(q) },
	} {
		q := u.Query()
		change(q)
		got, _, err := links.Verify(q, at.Add(-time.Minute))
		if got != "" || reason(err) != "blob_link_invalid" || !fault.Is(err, fault.PermissionDenied) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	other := must.Get(objstore.NewLinks("https://keys.example.org", secret.New(strings.Repeat("t", 32))))(t)
	if _, _, err := other.Verify(u.Query(), at.Add(-time.Minute)); reason(err) != "blob_link_invalid" {
		t.Errorf("by another secret: %v", err)
	}
	for site, key := range map[string]secret.String{"https://h": secret.New(strings.Repeat("s", 31)), "/relative": long, "": long} {
		if _, err := objstore.NewLinks(site, key); !errors.Is(err, objstore.ErrInvalid) {
			t.Errorf("%q: %v", site, err)
		}
	}
	var none objstore.Links
	unsigned := must.Get(url.Parse(none.Sign("k", 7, at).URL))(t).Query()
	if _, _, err := none.Verify(unsigned, at.Add(-time.Minute)); reason(err) != "blob_link_invalid" {
		t.Errorf("without a secret: %v", err)
	}
}

func reason(err error) string {
	f, ok := fault.As(err)
	if !ok {
		return ""
	}
	return f.Reason
}
