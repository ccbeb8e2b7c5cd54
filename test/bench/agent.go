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
	count := 25
	if b.quick {
		count = 5
	}
	apdus := append([]string{"--device", tokenSerial, "apdu", "--no-pretty", "--app", "piv"}, inspectAPDUs...)
	var ours, same, info []time.Duration
	for i := range count + 1 {
		began := time.Now()
		if err := read(); err != nil {
			return err
		}
		agent := time.Since(began)
		bare, err := b.ykman(ctx, env, apdus...)
		if err != nil {
			return err
		}
		piv, err := b.ykman(ctx, env, "--device", tokenSerial, "piv", "info")
		if err != nil {
			return err
		}
		if i > 0 { // the first round fills caches
			ours, same, info = append(ours, agent), append(same, bare), append(info, piv)
		}
	}
	over := median(ours) - median(same)
	b.out.durations("agent GET /piv/info over bare ykman", fmt.Sprintf("%+.1f ms (median %s)", float64(over)/float64(time.Millisecond), brief(median(ours))),
		fmt.Sprintf("%s ykman with the same commands; ykman piv info %s", brief(median(same)), brief(median(info))), "",
		aim{"< 5 ms", over < 5*time.Millisecond}, goClient)
	return nil
}

func (b *bench) ykman(ctx context.Context, env string, args ...string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, "ykman", args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.temp, "LANG=C.UTF-8", env} // as the agent's
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("ykman: %w\n%s", err, out)
	}
	return time.Since(began), nil
}
