//go:build unix

package ykman

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/test/must"
)

// TestSlowTool: a tool that does not answer is reported as slow, not damaged, and
// is asked again.
func TestSlowTool(t *testing.T) {
	t.Parallel()
	tool := filepath.Join(t.TempDir(), "ykman")
	write := func(body string) { must.Program(t, tool, "#!/bin/sh\n"+body+"\n") }
	write("kill -STOP $$")
	d := New(Options{Path: tool})
	t.Cleanup(func() { must.OK(t, d.Close()) })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := d.Tool(ctx)
	f, _ := fault.As(err)
	if f == nil || f.Code != fault.ToolFailed || f.Reason != "tool_slow" || !strings.Contains(f.Error(), "killed by its time limit") {
		t.Errorf("%v", err)
	}
	write(`echo "YubiKey Manager (ykman) version: 5.5.1"`)
	if got := must.Get(d.Tool(t.Context()))(t); got.Version != "5.5.1" {
		t.Errorf("%+v", got)
	}
}

// TestSerialLate: a token whose serial number the tool could not read at first is listed all the same;
// one that has none is not.
func TestSerialLate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tool := filepath.Join(dir, "ykman")
	must.Program(t, tool, `#!/bin/sh
case "$1" in
--version) echo "YubiKey Manager (ykman) version: 5.5.1"; exit ;;
esac
echo "Device type: YubiKey 5 NFC"
case "$2" in
*late) if [ -e "`+dir+`/asked" ]; then echo "Serial number: 20260001"; fi; : >"`+dir+`/asked" ;;
esac
`)
	d := New(Options{Path: tool})
	t.Cleanup(func() { must.OK(t, d.Close()) })
	found := must.Get(d.List(t.Context(), []string{"Yubico YubiKey late", "Yubico YubiKey never"}))(t)
	if len(found.Tokens) != 1 || found.Tokens[0].Serial != "20260001" || !found.Complete {
		t.Errorf("%+v", found)
	}
}
