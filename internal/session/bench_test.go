package session

import (
	"context"
	"crypto/sha256"
	"testing"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/test/must"
)

// BenchmarkRead is what the access token costs every request.
func BenchmarkRead(b *testing.B) {
	f := setup(b)
	hs := map[string]any{"alg": "HS256", "typ": "JWT"}
	good := forge(hs, f.claims(nil), sha256.New, f.secret)
	bad := forge(hs, f.claims(nil), sha256.New, []byte("another secret of 32 bytes......"))
	b.Run("good", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			must.Get(f.signer.Read(context.Background(), good))(b)
		}
	})
	b.Run("forged", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := f.signer.Read(context.Background(), bad); !fault.Is(err, fault.TokenInvalid) {
				b.Fatal(err)
			}
		}
	})
}
