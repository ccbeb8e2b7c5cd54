package agent

import (
	"os"
	"os/exec"
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
