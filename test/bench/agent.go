package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tokenSerial is that of the virtual token.
const tokenSerial = "20260001"

// inspectAPDUs is what the agent sends for piv/info, so that the bare tool
// has the same to do.
var inspectAPDUs = strings.Fields(`00fd0000 00200080 00f70080 00f70081 00f7009b 00cb3fff:5c035fff00
	00f7009a 00cb3fff:5c035fc105 00f7009c 00cb3fff:5c035fc10a 00f7009d 00cb3fff:5c035fc10b 00f7009e 00cb3fff:5c035fc101`)

// agentOverhead measures what the agent adds to the tool that it runs: GET
// /piv/info beside ykman with the same commands, and beside "ykman piv info".
func agentOverhead(ctx context.Context, b *bench) (err error) {
	state := filepath.Join(b.temp, "vtoken")
	announced, err := os.Create(filepath.Join(b.temp, "vtoken.out"))
	if err != nil {
		return err
	}
	defer announced.Close()
	cards, err := b.spawn(ctx, announced, nil, filepath.Join(b.bin, "keyward-vtoken"), "run", "--state", state, "--serial", tokenSerial)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cards.stop()) }()
	var env string
	err = cards.await(ctx, func() bool {
		text, _ := os.ReadFile(announced.Name())
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "PCSCLITE_CSOCK_NAME=") && strings.HasSuffix(line, "\n") {
				env = strings.TrimSpace(line)
			}
		}
		return env != "" && bytes.Contains(text, []byte("serial="+tokenSerial))
	})
	if err != nil {
		return err
	}
	p, err := b.agent(ctx, env)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	return b.compareTool(ctx, p, env)
}

func (b *bench) compareTool(ctx context.Context, p *process, env string) error {
	if err := answers(ctx, p.url("/pubkey")); err != nil { // it waits for the key, whose making takes all cores
		return err
	}
	// The daemon tells of the reader before the card in it has powered up.
	read := func() error {
		return p.do(ctx, "GET", "/piv/info?serial="+tokenSerial, "", "", io.Discard)
	}
	if err := p.await(ctx, func() bool { return read() == nil }); err != nil {
		return err
	}
	count := b.size(25, 1)
	apdus := append([]string{"--device", tokenSerial, "apdu", "--no-pretty", "--app", "piv"}, inspectAPDUs...)
	var took [3][]time.Duration
	sides := [3]func() error{
		read,
		func() error { return b.ykman(ctx, env, apdus...) },
		func() error { return b.ykman(ctx, env, "--device", tokenSerial, "piv", "info") },
	}
	for round := range count + 1 {
		for turn := range sides { // each side comes first in its turn
			side := (turn + round) % len(sides)
			began := time.Now()
			if err := sides[side](); err != nil {
				return err
			}
			if round > 0 { // the first round fills caches
				took[side] = append(took[side], time.Since(began))
			}
		}
	}
	ours, same, info := took[0], took[1], took[2]
	over, quickest := median(ours)-median(same), slices.Min(ours)-slices.Min(same)
	b.out.durations("agent GET /piv/info over bare ykman",
		fmt.Sprintf("%s (median %s), quickest %s (%s)", millis(over), brief(median(ours)), millis(quickest), brief(slices.Min(ours))),
		fmt.Sprintf("median %s, quickest %s: ykman, same commands; ykman piv info median %s", brief(median(same)),
			brief(slices.Min(same)), brief(median(info))), "",
		aim{"< 5 ms", over < 5*time.Millisecond}, goClient)
	return nil
}

// millis is a difference of times, with its sign.
func millis(d time.Duration) string {
	return fmt.Sprintf("%+.1f ms", float64(d)/float64(time.Millisecond))
}

func (b *bench) ykman(ctx context.Context, env string, args ...string) error {
	cmd := exec.CommandContext(ctx, "ykman", args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.temp, "LANG=C.UTF-8", env} // as the agent's
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("ykman: %w\n%s", err, out)
	}
	return nil
}
