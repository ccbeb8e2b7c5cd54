package main

import (
	"fmt"
	"io"
	"time"

	"github.com/keyward/keyward/internal/backup"
)

// progressEvery is the longest interval between lines while something is counted.
const progressEvery = 10 * time.Second

// progressTo writes a line for each phase, for each tenth of the total, and every ten
// seconds while something is counted:
//
//	50 %  upload  210 MB of 1.2 GB
func progressTo(w io.Writer) func(backup.Reached) {
	var last backup.Reached
	var at time.Time
	return func(now backup.Reached) {
		same := now.Phase == last.Phase && now.Percent/10 == last.Percent/10
		if now.Phase == "" || now == last || same && time.Since(at) < progressEvery {
			return
		}
		last, at = now, time.Now()
		line := fmt.Sprintf("%3d %%  %s", now.Percent, now.Phase)
		if counted := countedOf(now); counted != "" {
			line += "  " + counted
		}
		fmt.Fprintln(w, line)
	}
}

// countedOf returns what a phase has counted; empty: nothing.
func countedOf(now backup.Reached) string {
	switch {
	case now.Unit == "":
		return ""
	case now.Unit == backup.InBytes && now.Total > 0:
		return sizeOf(now.Done) + " of " + sizeOf(now.Total)
	case now.Unit == backup.InBytes:
		return sizeOf(now.Done)
	case now.Total > 0:
		return fmt.Sprintf("%d of %d %s", now.Done, now.Total, now.Unit)
	}
	return fmt.Sprintf("%d %s", now.Done, now.Unit)
}

// sizeOf formats a number of bytes as the pages do: "1.2 GB".
func sizeOf(n int64) string {
	size, unit := float64(n), 0
	units := []string{"bytes", "kB", "MB", "GB", "TB"}
	for ; size >= 999.5 && unit < len(units)-1; unit++ {
		size /= 1000
	}
	if unit > 0 && size < 99.95 {
		return fmt.Sprintf("%.1f %s", size, units[unit])
	}
	return fmt.Sprintf("%.0f %s", size, units[unit])
}
