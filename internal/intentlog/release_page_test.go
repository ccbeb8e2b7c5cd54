package intentlog

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// example is the page from docs/audit.md, made by a program in another language.
const example = `{"page":1,"count":1,"before":"c84bd8821a28c67cb88e2244caadb3503ac9edd8440a5442aadbbf6c098a1159",` +
	`"entries":"ArilauRmFKZ1nBbSYZIDYFs=","hash":"dd1b3c3f20a9821272283c5eeb44d18a6bdba09098569ce3ffea6f42031a8990"}`

// TestExample: the page that docs/audit.md shows is ours.
func TestExample(t *testing.T) {
	t.Parallel()
	leaf := must.Get(hash("b8a56ae46614a6759c16d2619203605b55f10dbaa27e0f1a938a603f2bedfff1"))(t)
	p := firstPage("12345678").with(releaseRecord{1, leaf})
	if data := must.Get(p.encode())(t); string(data) != example {
		t.Errorf("%s, want %s", string(data), example)
	}
}

// TestPages: every page reads back as written, whatever the order of its ids.
func TestPages(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := firstPage(rapid.StringMatching("[0-9a-z]{4,20}").Draw(t, "serial"))
		for _, id := range rapid.SliceOfN(rapid.Int64Min(1), 0, 2*pageSize).Draw(t, "ids") {
			if p.full() {
				p = p.next()
			}
			p = p.with(releaseRecord{id, chain.Hash{byte(id), byte(id >> 8)}})
		}
		got := must.Get(decodePage(must.Get(p.encode())(t)))(t)
		if d := cmp.Diff(p, got, cmp.AllowUnexported(page{})); d != "" {
			t.Fatal(d)
		}
	})
}

// TestMalformedPages: malformed pages are rejected.
func TestMalformedPages(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no page": `{}`, "another count": strings.Replace(example, `"count":1`, `"count":2`, 1),
		"no number": strings.Replace(example, `"page":1`, `"page":0`, 1), "a short hash": strings.Replace(example, `"hash":"dd`, `"hash":"`, 1),
		"no hex": strings.Replace(example, `"before":"c8`, `"before":"zz`, 1), "cut marks": strings.Replace(example, `"entries":"Aril`, `"entries":"`, 1),
		"no base64": strings.Replace(example, `"entries":"`, `"entries":"!`, 1), "an array": `[]`,
	} {
		if text == example {
			t.Fatal(name)
		}
		if _, err := decodePage(vault.Data(text)); !errors.Is(err, errForm) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
