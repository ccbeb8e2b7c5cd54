package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// command is the cost of a program that ran to its end, including its children.
type command struct {
	took  time.Duration
	cpu   time.Duration
	peak  int64 // bytes of memory, mapped files included
	bytes int64 // size of its output
}

// add returns the cost of both in sequence: times add up, memory is the maximum.
func (c command) add(o command) command {
	return command{c.took + o.took, c.cpu + o.cpu, max(c.peak, o.peak), max(c.bytes, o.bytes)}
}

// sized records the size of a file.
func (c command) sized(file string) command {
	if info, err := os.Stat(file); err == nil {
		c.bytes = info.Size()
	}
	return c
}

// lookEvery is how often a program's memory is read. getrusage would include the memory
// of the process that started it.
const lookEvery = 5 * time.Millisecond

// execute runs a program to its end.
func (b *bench) execute(
	ctx context.Context, env []string, stdin string, stdout io.Writer, name string, args ...string,
) (c command, err error) {
	p, err := b.spawnWith(ctx, strings.NewReader(stdin), stdout, env, name, args...)
	if err != nil {
		return c, err
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for ended := false; !ended; {
		select {
		case err = <-p.done:
			ended = true
		case <-tick.C:
			c.peak = max(c.peak, p.memory("VmHWM"))
		}
	}
	c.took = time.Since(p.began)
	if err != nil {
		return c, fmt.Errorf("%s %v: %w\n%s", name, args, err, p.tail())
	}
	state := p.cmd.ProcessState
	c.cpu = state.UserTime() + state.SystemTime()
	return c, os.Remove(p.stderr)
}
