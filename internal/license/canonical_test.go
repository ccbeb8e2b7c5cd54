package license_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/keyward/keyward/internal/license"
)

// TestCanonicalNumbers is the table of RFC 8785, appendix B.
func TestCanonicalNumbers(t *testing.T) {
	t.Parallel()
	for bits, want := range map[uint64]string{
		0x0000000000000000: "0", 0x8000000000000000: "0",
		0x0000000000000001: "5e-324", 0x8000000000000001: "-5e-324",
		0x7fefffffffffffff: "1.7976931348623157e+308", 0xffefffffffffffff: "-1.7976931348623157e+308",
		0x4340000000000000: "9007199254740992", 0xc340000000000000: "-9007199254740992",
		0x4430000000000000: "295147905179352830000",
		0x44b52d02c7e14af5: "9.999999999999997e+22", 0x44b52d02c7e14af6: "1e+23", 0x44b52d02c7e14af7: "1.0000000000000001e+23",
		0x444b1ae4d6e2ef4e: "999999999999999700000", 0x444b1ae4d6e2ef4f: "999999999999999900000", 0x444b1ae4d6e2ef50: "1e+21",
		0x3eb0c6f7a0b5ed8c: "9.999999999999997e-7", 0x3eb0c6f7a0b5ed8d: "0.000001",
		0x41b3de4355555553: "333333333.3333332", 0x41b3de4355555554: "333333333.33333325", 0x41b3de4355555555: "333333333.3333333",
		0x41b3de4355555556: "333333333.3333334", 0x41b3de4355555557: "333333333.33333343",
		0xbecbf647612f3696: "-0.0000033333333333333333", 0x43143ff3c1cb0959: "1424953923781206.2",
	} {
		in := fmt.Sprintf("%.17e", math.Float64frombits(bits))
		if got, err := license.Canonical([]byte(in)); err != nil || string(got) != want {
			t.Errorf("%016x: %s (%v), want %s", bits, got, err, want)
		}
	}
}

// TestNoCanonicalForm: only I-JSON has one.
func TestNoCanonicalForm(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		``, `{`, `{}{}`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `"\ud800"`, "\"\xff\"", `NaN`, `{'a':1}`, `[1,]`, "\ufeff{}",
	} {
		if got, err := license.Canonical([]byte(in)); err == nil {
			t.Errorf("%s has the canonical form %s", in, got)
		}
	}
}

// FuzzCanonical: canonicalizing is idempotent and does not modify its input.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"b":[1.0,-0,1e400],"a":"\u00e9\ud83d\ude00"}`, ` [ ] `, `{"a":{"b":{}},"\u0000":null}`, `1e-7`, `{"a":1,"a":1}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		before := bytes.Clone(in)
		once, err := license.Canonical(in)
		if !bytes.Equal(before, in) {
			t.Fatalf("%q became %q", before, in)
		}
		if err != nil {
			return
		}
		if again, err := license.Canonical(once); err != nil || !bytes.Equal(once, again) {
			t.Errorf("%q, then %q (%v)", once, again, err)
		}
	})
}
