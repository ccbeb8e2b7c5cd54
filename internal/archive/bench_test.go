package archive_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/must"
)

// sizes are numbers of lines.
var sizes = []int{10_000, 100_000, 1_000_000}

// dump writes lines like those of the audit log: of 228 bytes each, with 12 to 18
// random bytes among them, most as hex.
func dump(w io.Writer, count int) error {
	random := rand.NewChaCha8([32]byte{9})
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	var piece []byte
	id := make([]byte, 18)
	for i := range count {
		_, _ = random.Read(id)
		at += int64(random.Uint64() % 40_000_000)
		piece = fmt.Appendf(piece, "(%d,%d,'hwkey.secrets_released','success',%d,'user%05d',%d,'hwkey','%08d',NULL,'192.0.2.%d','%x',"+
			"'ticket %d','{\"fields\":[\"pin\",\"puk\"],\"agent\":\"%x\"}',NULL,NULL,NULL,NULL),\n",
			i+1, at, id[0], id[0], id[1]%8, 10_000_000+int(id[2])*997, id[3], id[:12], i%5000, id[12:])
		if len(piece) > 1<<16 || i == count-1 {
			if _, err := w.Write(piece); err != nil {
				return err
			}
			piece = piece[:0]
		}
	}
	return nil
}

// BenchmarkBackupWrite makes a backup file of so many lines, the key's derivation included.
func BenchmarkBackupWrite(b *testing.B) {
	for _, lines := range sizes {
		b.Run(fmt.Sprintf("lines=%d", lines), func(b *testing.B) {
			watch := watchMemory()
			var c archive.Contents
			for b.Loop() {
				c = backup(b, filepath.Join(b.TempDir(), "backup.enc"), lines)
			}
			b.SetBytes(c.DatabaseBytes)
			b.ReportMetric(float64(c.FileBytes)/1e6, "file-MB")
			b.ReportMetric(watch(), "peak-MB")
		})
	}
}

// BenchmarkBackupRead opens such a file, and reads it: three times through it, and a derivation.
func BenchmarkBackupRead(b *testing.B) {
	for _, lines := range sizes {
		b.Run(fmt.Sprintf("lines=%d", lines), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "backup.enc")
			c := backup(b, path, lines)
			file := must.Get(os.Open(path))(b)
			defer file.Close()
			watch := watchMemory()
			for b.Loop() {
				a := must.Get(archive.Open(b.Context(), file, c.FileBytes, chosen))(b)
				must.OK(b, a.ReadDatabase(b.Context(), func(sql io.Reader) error {
					_, err := io.Copy(io.Discard, sql)
					return err
				}))
			}
			b.SetBytes(c.DatabaseBytes)
			b.ReportMetric(watch(), "peak-MB")
		})
	}
}

// BenchmarkBackupByOpenSSL is the yardstick: the same lines through gzip and openssl, which
// derives a key as well, and has no tag.
func BenchmarkBackupByOpenSSL(b *testing.B) {
	for _, lines := range sizes {
		b.Run(fmt.Sprintf("lines=%d", lines), func(b *testing.B) {
			out := filepath.Join(b.TempDir(), "backup.enc")
			var size int64
			for b.Loop() {
				cmd := exec.CommandContext(b.Context(), "bash", "-o", "pipefail", "-c",
					"gzip | openssl enc -aes-256-ctr -pbkdf2 -pass pass:benchmark -out \"$1\"", "bash", out)
				in := must.Get(cmd.StdinPipe())(b)
				must.OK(b, cmd.Start())
				must.OK(b, dump(in, lines))
				must.OK(b, in.Close())
				must.OK(b, cmd.Wait())
				size = must.Get(os.Stat(out))(b).Size()
			}
			b.ReportMetric(float64(size)/1e6, "file-MB")
		})
	}
}

// chosen is the password of the benchmarks.
var chosen = archive.TypedPassword(secret.New("correct horse battery"))

func backup(b *testing.B, path string, lines int) archive.Contents {
	file := must.Get(os.Create(path))(b)
	defer file.Close()
	w := must.Get(archive.Create(file, chosen, archive.NewHeader(archive.Full, when, true)))(b)
	must.OK(b, dump(w.Database(), lines))
	return must.Get(w.Close())(b)
}

// watchMemory looks every millisecond at what the process takes of the machine's memory; the
// function that it returns ends that, and gives the most in MB.
func watchMemory() (peak func() float64) {
	debug.FreeOSMemory() // what came before is not counted
	done, most := make(chan struct{}), make(chan uint64)
	go func() {
		samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		ticker := time.NewTicker(time.Millisecond)
		defer ticker.Stop()
		var highest uint64
		for {
			metrics.Read(samples)
			highest = max(highest, samples[0].Value.Uint64()-samples[1].Value.Uint64())
			select {
			case <-done:
				most <- highest
				return
			case <-ticker.C:
			}
		}
	}()
	return func() float64 {
		close(done)
		return float64(<-most) / 1e6
	}
}
