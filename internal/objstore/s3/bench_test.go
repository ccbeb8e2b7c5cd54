package s3_test

import (
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/test/must"
)

// BenchmarkStream puts 64 MiB from a stream and reads them back, and reports the most
// memory that the process's heap held beyond what it held before.
func BenchmarkStream(b *testing.B) {
	const size = 64 << 20
	s := open(b, options(b))
	b.SetBytes(2 * size)
	var peak uint64
	for n := 0; b.Loop(); n++ {
		key := objstore.Name{Type: "full", At: time.Unix(int64(n), 0)}.Key("")
		runtime.GC()
		before := heap()
		watch := func() { peak = max(peak, max(heap(), before)-before) }
		must.Get(s.Put(b.Context(), key, &zeros{left: size, each: watch}))(b)
		r := must.Get(s.Open(b.Context(), key, 0, -1))(b)
		if got := must.Get(io.Copy(io.Discard, r))(b); got != size {
			b.Fatalf("%d bytes came back", got)
		}
		watch()
		must.OK(b, r.Close())
		must.OK(b, s.Delete(b.Context(), key))
	}
	b.ReportMetric(float64(peak)/(1<<20), "peak-MiB")
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// zeros are a stream that says each megabyte that it has come so far.
type zeros struct {
	left int
	each func()
}

// Read is io.Reader's.
func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), z.left)
	if z.left>>20 != (z.left-n)>>20 {
		z.each()
	}
	clear(p[:n])
	z.left -= n
	return n, nil
}
