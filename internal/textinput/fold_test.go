package textinput

import (
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// TestFold says which texts are the same to the database and which differ.
func TestFold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, a, b string
		same       bool
	}{
		{"case", "Alex", "aLEX", true},
		{"composed and decomposed", "Zo\u00eb", "ZOE\u0308", true},
		{"marks in another order", "a\u0323\u0307", "A\u0307\u0323", true},
		{"Hangul, composed and in parts", "\ud55c", "\u1112\u1161\u11ab", true},
		{"sharp s", "Stra\u00dfe", "STRASSE", true},
		{"capital sharp s", "STRA\u1e9eE", "strasse", true},
		{"final sigma", "\u03a3\u0391\u03a3", "\u03c3\u03b1\u03c2", true},
		{"Kelvin sign", "\u212aeyward", "keyward", true},
		{"long s", "\u017fmith", "Smith", true},
		// Turkish: folding ignores the language, so that it is the same on
		// every machine. The dotless i is a separate letter.
		{"dotless i", "\u0131stanbul", "istanbul", false},
		{"dotted capital I", "\u0130stanbul", "istanbul", false},
		{"dotted capital I, in parts", "\u0130", "I\u0307", true},
		// Look-alikes differ, which is why usernames and emails are ASCII.
		{"fullwidth", "\uff21lex", "Alex", false},
		{"fullwidth, case", "\uff21", "\uff41", true},
		{"ligature", "\ufb01x", "FIX", true}, // full case folding
		{"Cyrillic", "\u0430lex", "alex", false},
		{"space", "a b", "ab", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if same := Fold(c.a) == Fold(c.b); same != c.same {
				t.Errorf("%+q is %+q, %+q is %+q; want the same: %v", c.a, Fold(c.a), c.b, Fold(c.b), c.same)
			}
		})
	}
}

// TestFoldOfEquivalents: however a text is composed, its key is the same.
func TestFoldOfEquivalents(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.String().Draw(rt, "text")
		if a, b := Fold(norm.NFC.String(s)), Fold(norm.NFD.String(s)); a != b {
			rt.Errorf("composed %+q, decomposed %+q", a, b)
		}
		if !norm.NFC.IsNormalString(Fold(s)) {
			rt.Errorf("%+q is not normalised", Fold(s))
		}
	})
}
