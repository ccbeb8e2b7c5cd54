package agent

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/agent/ykman"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/warmykman"
)

// TestTool starts the agent with unusable tools. The agent reports what it needs
// at startup and for every operation, until a usable tool is installed, which
// needs no restart.
func TestTool(t *testing.T) {
	t.Parallel()
	python, script := must.Get(warmykman.Python())(t)[0], must.Get(warmykman.Real())(t)
	for name, c := range map[string]struct{ body, says string }{
		"3.1.1": {`echo "YubiKey Manager (ykman) version: 3.1.1"; echo "Libraries:"; echo "    libykpers 1.20.0"`,
			"has version 3.1.1, and the agent needs 4.0.9 or later"},
		"4.0.8": {`echo "YubiKey Manager (ykman) version: 4.0.8"`, "has version 4.0.8, and the agent needs 4.0.9 or later"},
		// The real one, with a Python that does not see the system's modules.
		"no module": {fmt.Sprintf("exec %s -S -I %s", python, script), "Reinstall YubiKey Manager"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := filepath.Join(t.TempDir(), "ykman")
			write := func(body string) { must.Program(t, tool, "#!/bin/sh\n"+body+"\n") }
			write(c.body + ` "$@"`)
			d := ykman.New(ykman.Options{Path: tool})
			t.Cleanup(func() { must.OK(t, d.Close()) })
			a := start(t, Config{Driver: d})
			a.log.Find(t, "the log says what is needed", nil, func(log string) bool { return strings.Contains(log, c.says) })
			for _, path := range []string{"/discover", "/piv/info?serial=" + serial} {
				if got := a.get(t, path); got.status != 503 || got.code() != "tool_missing" || !strings.Contains(got.raw, c.says) {
					t.Errorf("%s: %d %s", path, got.status, got.raw)
				}
			}
			write(ykman5[len("#!/bin/sh\n"):])
			await.That(t, "the new tool is used", func() bool { return a.get(t, "/discover").status == 200 })
			if got := a.get(t, "/system/info").body["tool_version"]; got != "5.5.1" {
				t.Errorf("system info tells version %v", got)
			}
		})
	}
}

// slowTool is a token tool that withholds its version until released.
type slowTool struct {
	driver.Driver

	asked, answers chan struct{}
	given          context.Context // ends a test that would wait forever
}

func (s *slowTool) Tool(context.Context) (driver.Tool, error) {
	s.asked <- struct{}{}
	select {
	case <-s.answers:
	case <-s.given.Done():
	}
	return driver.Tool{}, errors.New("at last")
}

// TestSlowTool: while a tool is slow at startup, the agent answers and reports
// what is waiting.
func TestSlowTool(t *testing.T) {
	t.Parallel()
	d := &slowTool{asked: make(chan struct{}, 9), answers: make(chan struct{}), given: await.Context(t)}
	a := start(t, Config{Driver: d, queueWait: time.Millisecond})
	answer := sync.OnceFunc(func() { close(d.answers) })
	t.Cleanup(answer)
	await.From(t, "the tool is asked", d.asked)
	for path, want := range map[string]int{"/health": 200, "/pubkey": 200, "/system/info": 200, "/discover": 409} {
		if got := a.get(t, path); got.status != want || want == 409 && got.code() != "busy" {
			t.Errorf("%s: %d %s", path, got.status, got.raw)
		}
	}
	answer()
	a.log.Contains(t, "token operations will fail until the token tool works")
}
