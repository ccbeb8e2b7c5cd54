package backup

import (
	"runtime"
	"testing"
)

// Not beside others: what it looks at is the process's.
func TestRoomForRequests(t *testing.T) {
	now := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(now)
	t.Setenv("GOMAXPROCS", "")
	runtime.SetDefaultGOMAXPROCS()
	before := runtime.GOMAXPROCS(0)
	first, second := makeRoom(), makeRoom()
	if got := runtime.GOMAXPROCS(0); got != before+jobThreads {
		t.Errorf("beside jobs %d threads run at once, of %d before", got, before)
	}
	first()
	if got := runtime.GOMAXPROCS(0); got != before+jobThreads {
		t.Errorf("beside the job that is left %d threads run at once", got)
	}
	second()
	if got := runtime.GOMAXPROCS(0); got != before {
		t.Errorf("afterwards %d threads run at once, of %d before", got, before)
	}
	t.Setenv("GOMAXPROCS", "2")
	defer makeRoom()()
	if got := runtime.GOMAXPROCS(0); got != before {
		t.Errorf("against the environment's word %d threads run at once, of %d before", got, before)
	}
}
