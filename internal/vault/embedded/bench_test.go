package embedded_test

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/big"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/internal/vault/embedded/issuance"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/must"
)

// BenchmarkSign compares Sign with a bare x509.CreateCertificate of the same
// content, on all cores.
func BenchmarkSign(b *testing.B) {
	for _, keyType := range []piv.KeyType{piv.RSA2048, piv.RSA3072, piv.ECP256, piv.ECP384} {
		opts := options(b.TempDir())
		opts.CAKeyType = keyType
		e := open(b, opts)
		req := vault.SignRequest{CSR: vaulttest.NewCSR(b, vaulttest.RSAKey()), CommonName: "bench", Emails: []string{"bench@example.org"}}
		b.Run(string(keyType)+"/keyward", func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := e.Sign(context.Background(), req); err != nil {
						b.Error(err)
					}
				}
			})
		})
		ca, key := must.Both(issuance.NewRoot(keyType, "bench", time.Now()))(b)
		b.Run(string(keyType)+"/stdlib", func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 158))
					template := &x509.Certificate{
						SerialNumber: serial, Subject: pkix.Name{CommonName: "bench"}, EmailAddresses: req.Emails,
						NotBefore: time.Now(), NotAfter: time.Now().Add(time.Hour),
						KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
						ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageEmailProtection},
						BasicConstraintsValid: true, CRLDistributionPoints: []string{publicBase}, IssuingCertificateURL: []string{publicBase},
					}
					if _, err := x509.CreateCertificate(rand.Reader, template, ca, vaulttest.RSAKey().Public(), key); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

// BenchmarkCRL is one revocation and the list that shows it, beside n others.
func BenchmarkCRL(b *testing.B) {
	for _, n := range []int{1_000, 100_000, 1_000_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			opts := options(b.TempDir())
			opts.CAKeyType = piv.RSA3072
			e := open(b, opts)
			bulkRevoke(b, e, n)
			must.OK(b, e.Close())
			debug.FreeOSMemory() // what the loading needed is not measured
			begin := time.Now()
			e = open(b, opts)
			opened := time.Since(begin)
			b.ResetTimer()
			for b.Loop() {
				must.OK(b, e.Revoke(context.Background(), vault.Revocation{Serial: randomSerial(), NotAfter: time.Now().Add(time.Hour)}))
				must.Get(e.CRL(context.Background()))(b)
			}
			b.ReportMetric(opened.Seconds(), "s-open")
			b.ReportMetric(float64(memory(b, "VmRSS:"))/1024, "MiB-rss")
			b.ReportMetric(float64(memory(b, "VmHWM:"))/1024, "MiB-peak-with-loading")
			b.ReportMetric(float64(memory(b, "RssAnon:"))/1024, "MiB-anon")
		})
	}
}

func bulkRevoke(b *testing.B, e *embedded.Engine, n int) {
	b.Helper()
	rs := make([]vault.Revocation, n)
	for i := range rs {
		rs[i] = vault.Revocation{Serial: randomSerial(), Reason: vault.Superseded, At: time.Now(), NotAfter: time.Now().Add(time.Hour)}
	}
	must.OK(b, e.Revoke(context.Background(), rs...))
}

func randomSerial() string {
	var serial [20]byte
	_, _ = rand.Read(serial[:])
	serial[0] = serial[0]&0x3f | 0x40
	return hex.EncodeToString(serial[:])
}

// memory reads one line of /proc/self/status, in KiB; zero where there is no
// such file.
func memory(b *testing.B, field string) int {
	b.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == field {
			return must.Get(strconv.Atoi(f[1]))(b)
		}
	}
	return 0
}

func BenchmarkKV(b *testing.B) {
	e := open(b, options(b.TempDir()))
	data := fmt.Appendf(nil, `{"pin":"12345678","puk":"87654321","management_key":"%s"}`, strings.Repeat("0a", 24))
	var made atomic.Int64
	fresh := func() string { return fmt.Sprintf("new-%d/secrets", made.Add(1)) }
	for i := range 1000 {
		must.Get(e.Put(context.Background(), fmt.Sprintf("%d/secrets", i), data, 0))(b)
	}
	pick := func() string {
		var n [8]byte
		_, _ = rand.Read(n[:])
		return fmt.Sprintf("%d/secrets", binary.BigEndian.Uint64(n[:])%1000)
	}
	b.Run("Get", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := e.Get(context.Background(), pick()); err != nil {
					b.Error(err)
				}
			}
		})
	})
	b.Run("Put", func(b *testing.B) {
		for b.Loop() {
			must.Get(e.Put(context.Background(), fresh(), data, 0))(b)
		}
	})
	b.Run("PutBy64", func(b *testing.B) {
		b.SetParallelism(32)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := e.Put(context.Background(), fresh(), data, 0); err != nil {
					b.Error(err)
				}
			}
		})
	})
}
