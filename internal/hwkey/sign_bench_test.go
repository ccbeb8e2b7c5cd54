package hwkey_test

import (
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/piv"
)

// BenchmarkSign signs for tokens from 64 goroutines, as requests come, with
// the engines that the server has: CSR, CA, record and audit entry. The CA's
// key is P-256, whose signature costs next to nothing.
func BenchmarkSign(b *testing.B) {
	w := setup(b)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	must(b, err)
	request := csrOf(b, "alex", key)
	for i := range b.N/len(piv.Slots) + 1 {
		_, err := w.db.InsertDevice(b.Context(), hwkey.Device{
			Serial: serialOf(i), Status: hwkey.Assigned, OwnerID: &w.alex.UserID, OrganizationID: &w.a.ID, RegisteredAt: w.now(),
		}, audit.Entry{Action: audit.HWKeyRegistered, Outcome: audit.Success, Actor: audit.System})
		must(b, err)
	}
	reach := scope(b, w.alex)
	var next atomic.Int64
	var group sync.WaitGroup
	began := processorTime(b)
	b.ResetTimer()
	for range 64 {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= b.N {
					return
				}
				slot := string(piv.Slots[i%len(piv.Slots)])
				if _, err := w.certs.Sign(b.Context(), w.alex, reach, serialOf(i/len(piv.Slots)),
					cert.SignRequest{CSR: request, Slot: slot}); err != nil {
					b.Error(fmt.Errorf("%d: %w", i, err))
				}
			}
		})
	}
	group.Wait()
	b.StopTimer()
	b.ReportMetric(float64((processorTime(b)-began).Microseconds())/float64(b.N), "cpu-µs/op")
}

// processorTime is what this process has used, other load aside.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
