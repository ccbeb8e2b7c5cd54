package backup

import (
	"os"
	"runtime"
	"sync"
)

// jobThreads is what a job's own work keeps busy: one goroutine that packs and
// encrypts, and one that reads, or the collector of what both leave.
const jobThreads = 2

var room struct {
	mu   sync.Mutex
	jobs int
}

// makeRoom lets Go run as many more threads at once as a job's work takes, until
// leave is called. Go lets a goroutine that computes go on for 10 ms before another
// has its thread; the system gives its processors to a thread that wakes for a
// request much sooner. So requests beside a job meet its work in the system's queue
// and not in Go's (docs/performance.md has the figures). Whoever sets GOMAXPROCS in
// the environment has said how many threads there are to be.
func makeRoom() (leave func()) {
	if os.Getenv("GOMAXPROCS") != "" {
		return func() {}
	}
	room.mu.Lock()
	defer room.mu.Unlock()
	if room.jobs++; room.jobs == 1 {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + jobThreads)
	}
	return func() {
		room.mu.Lock()
		defer room.mu.Unlock()
		if room.jobs--; room.jobs == 0 {
			runtime.SetDefaultGOMAXPROCS()
		}
	}
}
