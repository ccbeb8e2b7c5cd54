package agent

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/tryout/vtoken"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/warmykman"
)

// BenchmarkOverhead runs the agent's piv/info and the same call of bare ykman
// in pairs, and tells the median of the differences: what the agent adds.
func BenchmarkOverhead(b *testing.B) {
	h := host(b, vtoken.Options{})
	tool := must.Get(warmykman.Real())(b)
	a := startWith(b, h, tool, Config{})
	args := []string{"--device", serial, "apdu", "--no-pretty", "--app", "piv",
		"00fd0000", "00200080", "00f70080", "00f70081", "00f7009b", "00cb3fff:5c035fff00",
		"00f7009a", "00cb3fff:5c035fc105", "00f7009c", "00cb3fff:5c035fc10a",
		"00f7009d", "00cb3fff:5c035fc10b", "00f7009e", "00cb3fff:5c035fc101"}
	var agent, bare, info, added []float64
	ms := func(f func()) float64 {
		begin := time.Now()
		f()
		return float64(time.Since(begin).Microseconds()) / 1000
	}
	run := func(args ...string) float64 {
		cmd := exec.CommandContext(b.Context(), tool, args...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LANG=C.UTF-8",
			"LC_ALL=C.UTF-8", h.Env(), "XDG_DATA_HOME=" + b.TempDir()}
		return ms(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
		})
	}
	for b.Loop() {
		x := ms(func() { a.get(b, "/piv/info?serial="+serial) })
		y := run(args...)
		agent, bare, added = append(agent, x), append(bare, y), append(added, x-y)
		info = append(info, run("--device", serial, "piv", "info"))
	}
	median := func(v []float64) float64 { slices.Sort(v); return v[len(v)/2] }
	b.ReportMetric(median(added), "added-ms")
	b.ReportMetric(median(agent), "agent-ms")
	b.ReportMetric(median(bare), "same-call-ms")
	b.ReportMetric(median(info), "ykman-piv-info-ms")
}

// BenchmarkDiscoverCached is /discover while nothing is plugged or pulled.
func BenchmarkDiscoverCached(b *testing.B) {
	h := host(b, vtoken.Options{})
	a := startOn(b, h, Config{})
	a.get(b, "/discover")
	for b.Loop() {
		a.get(b, "/discover")
	}
}

// BenchmarkStart is the time from the start of the process to its first
// answer, with the key still to be made.
func BenchmarkStart(b *testing.B) {
	binary := filepath.Join(b.TempDir(), "keyward-agent")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", binary, "../../cmd/keyward-agent").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	l := start(b, Config{}) // holds a port for its address only
	address := l.base
	must.OK(b, l.stop())
	for b.Loop() {
		cmd := exec.CommandContext(b.Context(), binary, "--dev", "--listen", address[len("http://"):])
		cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+filepath.Dir(binary))
		must.OK(b, cmd.Start())
		for {
			res, err := http.Get(address + "/health")
			if err == nil {
				_ = res.Body.Close()
				break
			}
			if b.Context().Err() != nil {
				b.Fatal("the agent never answered")
			}
			<-time.After(200 * time.Microsecond)
		}
		b.StopTimer()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		http.DefaultClient.CloseIdleConnections()
		b.StartTimer()
	}
}
