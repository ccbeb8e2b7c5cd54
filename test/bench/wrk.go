package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// wrkClient is the name of wrk in the table.
const wrkClient = "wrk -t2 -c64"

// wrkTokens is a script that uses the access tokens of a file in turn.
const wrkTokens = `
local requests, n, i = {}, 0, 0
function init(args)
	for token in io.lines(%q) do
		n = n + 1
		requests[n] = wrk.format("GET", nil, {["Authorization"] = "Bearer " .. token, ["User-Agent"] = %q})
	end
	math.randomseed(os.time())
	i = math.random(n)
end
function request()
	i = i %% n + 1
	return requests[i]
end
`

// tokenScript writes tokens and script, and returns wrk's arguments for them.
func (b *bench) tokenScript(tokens []string) ([]string, error) {
	list, script := filepath.Join(b.temp, "tokens"), filepath.Join(b.temp, "tokens.lua")
	var text bytes.Buffer
	for _, t := range tokens {
		text.WriteString(t + "\n")
	}
	if err := os.WriteFile(list, text.Bytes(), 0o600); err != nil {
		return nil, err
	}
	return []string{"-s", script}, os.WriteFile(script, fmt.Appendf(nil, wrkTokens, list, userAgent), 0o600)
}

var (
	wrkTotal  = regexp.MustCompile(`(\d+) requests in ([0-9.]+m?s),`)
	wrkErrors = regexp.MustCompile(`(?m)^\s*(Non-2xx or 3xx responses|Socket errors): .*$`)
)

// wrk runs load against one address of a process for d.
func (p *process) wrk(ctx context.Context, d time.Duration, path string, args ...string) (sample, error) {
	seconds := strconv.Itoa(max(1, int(d.Round(time.Second)/time.Second))) + "s"
	cmd := exec.CommandContext(ctx, "wrk", append(append([]string{"-t2", "-c64", "-d" + seconds}, args...), p.url(path))...)
	cmd.Stderr = os.Stderr
	before := p.cpu()
	out, err := cmd.Output()
	if err != nil {
		return sample{}, fmt.Errorf("wrk: %w (scripts/install-deps test installs it)\n%s", err, out)
	}
	if bad := wrkErrors.Find(out); bad != nil {
		return sample{}, fmt.Errorf("wrk on %s: %s", path, bytes.TrimSpace(bad))
	}
	m := wrkTotal.FindSubmatch(out)
	if m == nil {
		return sample{}, fmt.Errorf("wrk's output is not understood:\n%s", out)
	}
	ops, err := strconv.ParseInt(string(m[1]), 10, 64)
	if err != nil {
		return sample{}, err
	}
	took, err := time.ParseDuration(string(m[2]))
	return sample{ops, took, p.cpu() - before}, err
}
