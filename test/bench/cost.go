package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Where processor time is spent.
const (
	inServer   = iota // keyward, or what stands in its place
	inPostgres        // the database server's processes
	inVault
	inClient // who asks
)

// places names the engines among these.
var places = [...]string{inPostgres: "PostgreSQL", inVault: "Vault", inClient: ""}

// cost is processor time, by where it is spent.
type cost [len(places)]time.Duration

func (c cost) add(o cost) cost {
	for i := range c {
		c[i] += o[i]
	}
	return c
}

func (c cost) less(o cost) cost {
	for i := range c {
		c[i] -= o[i]
	}
	return c
}

func (c cost) all() (sum time.Duration) {
	for _, d := range c {
		sum += d
	}
	return sum
}

// cost is what a process, the engines behind it and this one have spent so far.
func (p *process) cost() cost {
	c := cost{inServer: p.cpu(), inClient: cpu(os.Getpid())}
	for place, pid := range p.behind {
		if pid != 0 {
			c[place] = family(pid)
		}
	}
	return c
}

// costOf is the cost of several processes in front of the same engines.
func costOf(servers []*process) cost {
	c := servers[0].cost()
	for _, p := range servers[1:] {
		c[inServer] += p.cpu()
	}
	return c
}

// clockTick is USER_HZ, the unit of /proc/PID/stat, on every Linux.
const clockTick = 10 * time.Millisecond

// spent is what /proc/PID/stat says of a process (proc(5)).
type spent struct {
	parent   int
	own      time.Duration // user and system
	children time.Duration // of those that have ended and been waited for
}

func readSpent(file string) (s spent, ok bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return spent{}, false
	}
	// The name, in parentheses, may hold anything; the third field follows it.
	f := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(f) < 15 {
		return spent{}, false
	}
	number := func(field int) int64 {
		n, _ := strconv.ParseInt(f[field-3], 10, 64) // the kernel writes numbers
		return n
	}
	return spent{int(number(4)), time.Duration(number(14)+number(15)) * clockTick, time.Duration(number(16)+number(17)) * clockTick}, true
}

// cpu is the processor time that a process has used, user and system.
func cpu(pid int) time.Duration {
	s, _ := readSpent("/proc/" + strconv.Itoa(pid) + "/stat")
	return s.own
}

// family is the processor time of a process and all its descendants, of those
// that have ended too.
func family(pid int) (sum time.Duration) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	children, of := map[int][]int{}, map[int]spent{}
	for _, file := range files {
		id, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if s, ok := readSpent(file); ok && err == nil {
			of[id] = s
			children[s.parent] = append(children[s.parent], id)
		}
	}
	for list := []int{pid}; len(list) > 0; {
		next := list[0]
		sum += of[next].own + of[next].children
		list = append(list[1:], children[next]...)
	}
	return sum
}

func (p *process) cpu() time.Duration { return cpu(p.pid) }

// cores is what all processors of the machine have done since it started:
// nothing, and in all.
type cores struct{ idle, all time.Duration }

// readCores reads the first line of /proc/stat.
func readCores() (c cores) {
	text, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(text), "\n")
	for i, field := range strings.Fields(line) {
		if i == 0 || i > 8 { // guests' time is in user's
			continue
		}
		n, _ := strconv.ParseInt(field, 10, 64)
		c.all += time.Duration(n) * clockTick
		if i == 4 || i == 5 { // idle, iowait
			c.idle += time.Duration(n) * clockTick
		}
	}
	return c
}
