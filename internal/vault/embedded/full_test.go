//go:build unix

package embedded_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
)

// fill writes until there is no room left, and once more when there is again.
func fill(dir string) error {
	ctx := context.Background()
	e, err := embedded.Open(ctx, options(dir))
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	bounded := syscall.Rlimit{Cur: 256 << 10, Max: limit.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &bounded); err != nil {
		return err
	}
	data := fmt.Appendf(nil, `{"text":%q}`, bytes.Repeat([]byte("x"), 8<<10))
	written := 0
	for ; err == nil; written++ {
		_, err = e.Put(ctx, fmt.Sprintf("p%d/secrets", written), data, 0)
	}
	written--
	if f, ok := fault.As(vault.Fault(err)); !ok || f.Reason != "full" || written == 0 {
		return fmt.Errorf("after %d documents: %w", written, err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if _, err := e.Put(ctx, fmt.Sprintf("p%d/secrets", written), data, 0); err != nil {
		return fmt.Errorf("with room again: %w", err)
	}
	for i := range written + 1 {
		if v, err := e.Get(ctx, fmt.Sprintf("p%d/secrets", i)); err != nil || !bytes.Equal(v.Data, data) {
			return fmt.Errorf("document %d: %w", i, err)
		}
	}
	return e.Close()
}

// TestDiskFull: writes without room are refused with that reason, and work again once there is
// room.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+t.TempDir(), childFills+"=yes")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
