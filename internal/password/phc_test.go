package password

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// A hash made by the reference implementation (argon2 "password", salt
// "somesalt", -id -t 2 -m 16 -p 1), from its README and test vectors.
const reference = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"

func TestReferenceVector(t *testing.T) {
	t.Parallel()
	h := must.Get(decode(reference))(t)
	if want := (Parameters{MemoryKiB: 65536, Passes: 2, Threads: 1}); h.Parameters != want || string(h.salt) != "somesalt" {
		t.Errorf("%+v", h)
	}
	if got := h.compute("password", h.salt, len(h.key)); !bytes.Equal(got, h.key) {
		t.Errorf("computed %s", hex.EncodeToString(got))
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	const salt, key = "MDEyMzQ1Njc4OWFiY2RlZg", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	good := "$argon2id$v=19$m=65536,t=1,p=4$" + salt + "$" + key
	must.Get(decode(good))(t)
	for _, bad := range []string{
		"", "$", "$$$$$", good + "$", good + "\n", " " + good, good[1:],
		strings.Replace(good, "argon2id", "argon2i", 1),
		strings.Replace(good, "v=19", "v=16", 1),
		strings.Replace(good, "$v=19", "", 1),
		strings.Replace(good, "m=65536,t=1", "t=1,m=65536", 1),
		strings.Replace(good, "m=65536", "m=1048577", 1), // over 1 GiB
		strings.Replace(good, "m=65536", "m=4294967296", 1),
		strings.Replace(good, "m=65536", "m=31", 1), // less than 8 per thread
		strings.Replace(good, "m=65536", "m=065536", 1),
		strings.Replace(good, "m=65536", "m=+65536", 1),
		strings.Replace(good, "m=65536", "m=", 1),
		strings.Replace(good, "t=1", "t=0", 1),
		strings.Replace(good, "t=1", "t=11", 1),
		strings.Replace(good, "p=4", "p=0", 1),
		strings.Replace(good, "p=4", "p=17", 1),
		strings.Replace(good, "p=4", "p=4,data=AAAA", 1),
		strings.Replace(good, salt, "", 1),
		strings.Replace(good, salt, "MDEyMzQ1Ng", 1), // 7 bytes
		strings.Replace(good, salt, salt+"==", 1),
		strings.Replace(good, salt, salt[:5]+"\n"+salt[5:], 1),
		strings.Replace(good, salt, strings.Repeat("AAAA", 22), 1), // 66 bytes
		strings.Replace(good, key, key[:10], 1),
		strings.Replace(good, key, key[:len(key)-1]+"B", 1), // stray bits at the end
		strings.Replace(good, key, strings.Repeat("AAAA", 22), 1),
	} {
		if _, err := decode(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// FuzzDecode: any hash is either refused, or read within bounds and written again unchanged.
func FuzzDecode(f *testing.F) {
	f.Add(reference)
	f.Add("$argon2id$v=19$m=8,t=1,p=1$MDEyMzQ1Njc$AAAAAAAAAAAAAAAAAAAAAA")
	f.Add("$argon2id$v=19$m=1048576,t=10,p=16$c29tZXNhbHQ$\n")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := decode(text)
		if err != nil {
			return
		}
		if h.encode() != text {
			t.Fatalf("%q is written as %q", text, h.encode())
		}
		if h.MemoryKiB > maxMemoryKiB || h.MemoryKiB < 8*uint32(h.Threads) || h.Passes < 1 || h.Passes > maxPasses || h.Threads < 1 ||
			h.Threads > maxThreads || len(h.salt) < minSalt || len(h.key) < minKey || len(h.salt) > maxSalt || len(h.key) > maxKey {
			t.Fatalf("out of bounds: %+v", h.Parameters)
		}
	})
}
