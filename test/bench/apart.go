package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// apart measures signing on Vault once more as it is in production, where Vault has
// a machine of its own: one core is Vault's, and client, Keyward and PostgreSQL share
// another, with Keyward and without. Cores are inherited, so it takes a process of
// its own, whose rows are read.
func (b *bench) apart(ctx context.Context) error {
	cores, err := allowedCores()
	if err != nil {
		return err
	}
	if len(cores) < 2 {
		fmt.Fprintln(b.log, "bench: Vault gets no core for itself: that takes Linux and two of them")
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{"apart", strconv.Itoa(cores[0]), "-json", "-only", "sign", "-on", onVault.flag, "-bin", b.bin}
	if b.quick {
		args = append(args, "-quick")
	}
	if b.profile != "" {
		folder := filepath.Join(b.profile, "apart")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
		args = append(args, "-profile", folder)
	}
	for _, v := range b.env {
		args = append(args, "-env", v)
	}
	var rows bytes.Buffer
	cmd := exec.CommandContext(ctx, self, args...) // #nosec G204 -- this program
	cmd.Stdout, cmd.Stderr = &rows, b.log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	if err := onCore(cores[1], cmd.Start); err != nil {
		return err
	}
	if err = cmd.Wait(); err != nil {
		err = fmt.Errorf("vault apart: %w", err)
	}
	return errors.Join(err, b.out.take(&rows)) // what was measured, was measured
}

// setApart starts Vault on its core.
func (b *bench) setApart(core string) error {
	number, err := strconv.Atoi(core)
	if err != nil {
		return err
	}
	b.isApart = true
	return onCore(number, func() error {
		_, err := vaultServer()
		return err
	})
}

// busy tells how busy the two cores were, through Keyward and without.
func busy(ours, raw sample) string {
	share := func(s sample, places ...int) float64 {
		var spent time.Duration
		for _, place := range places {
			spent += s.cost[place]
		}
		return 100 * spent.Seconds() / max(s.took.Seconds(), 0.001)
	}
	return fmt.Sprintf("busy: Vault's core %.0f %%, the other %.0f %%; without Keyward %.0f and %.0f %%",
		share(ours, inVault), share(ours, inServer, inPostgres, inClient), share(raw, inServer), share(raw, inClient))
}
