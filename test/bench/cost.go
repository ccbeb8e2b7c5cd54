package main

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"
)

// clockTick is USER_HZ, the unit of /proc/PID/stat, on every Linux.
const clockTick = 10 * time.Millisecond

// cpu returns the processor time that a process has used, user and system (proc(5)).
func cpu(pid int) time.Duration {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	// The name, in parentheses, may contain anything; the third field follows it.
	f := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(f) < 15 {
		return 0
	}
	user, _ := strconv.ParseInt(f[14-3], 10, 64) // the kernel writes numbers
	system, _ := strconv.ParseInt(f[15-3], 10, 64)
	return time.Duration(user+system) * clockTick
}

func (p *process) cpu() time.Duration { return cpu(p.pid) }
