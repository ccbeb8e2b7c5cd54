package flow_test

import (
	"bufio"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// page is the flows of the page, for each person in a node process that speaks lines of
// JSON (ui/flows/worker.ts).
type page struct{ workers map[string]*worker }

// ui is where the page's sources are.
const ui = "../../ui"

// startPage bundles the page's flows as the page's build does and starts a process for
// each person.
func startPage(t *testing.T, w *world) *page {
	t.Helper()
	dependOnPage(t)
	command(t, "../..", "scripts/node-modules", "ui")
	dir := t.TempDir()
	command(t, ui, "node", "node_modules/vite/bin/vite.js", "build", "--config", "flows/vite.config.ts", "--outDir", dir, "--logLevel", "warn")
	p := &page{workers: map[string]*worker{}}
	for person, who := range map[string]identity{
		"first":  {w.service.url, w.agents[0], owner, ownerPassword},
		"second": {w.service.url, w.agents[1], owner, ownerPassword},
		"admin":  {w.service.url, w.agents[0], "admin", adminPassword},
	} {
		p.workers[person] = startWorker(t, filepath.Join(dir, "worker.js"), who)
	}
	return p
}

// dependOnPage opens each of the page's sources, to tell Go, which cannot see what node
// reads, that the test's result depends on them.
func dependOnPage(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(ui, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "node_modules" {
			return fs.SkipDir
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		file, err := os.Open(path) // #nosec G304 -- the repository's own
		if err != nil {
			return err
		}
		return file.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
}

func command(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...) // #nosec G204 -- as the repository has them
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// identity is a worker's first line.
type identity struct {
	Server   string `json:"server"`
	Agent    string `json:"agent"`
	Username string `json:"username"`
	Password string `json:"password"`
}

// worker is one process. Its attempts run concurrently.
type worker struct {
	mu      sync.Mutex
	out     *json.Encoder
	last    int
	waiting map[int]chan answer
	ended   chan struct{} // closed with the process's output
}

// answer is a line from the worker: an attempt paused, or its report.
type answer struct {
	ID     int  `json:"id"`
	Paused bool `json:"paused"`
	report
	// Stages are the stepper's steps for the events, in order; -1 is one that it does
	// not show. Last is the stepper's last step.
	Stages []int `json:"stages"`
	Last   int   `json:"last"`
}

func startWorker(t *testing.T, program string, who identity) *worker {
	t.Helper()
	cmd := exec.Command("node", program) // #nosec G204 -- made above; it ends with its input
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	must(t, err)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	w := &worker{out: json.NewEncoder(stdin), waiting: map[int]chan answer{}, ended: make(chan struct{})}
	t.Cleanup(func() {
		_ = stdin.Close()
		<-w.ended
		if err := cmd.Wait(); err != nil {
			t.Error("the page's flows:", err)
		}
	})
	go w.listen(stdout)
	must(t, w.out.Encode(who))
	return w
}

func (w *worker) listen(r io.Reader) {
	defer close(w.ended)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var a answer
		if json.Unmarshal(lines.Bytes(), &a) != nil {
			continue
		}
		w.mu.Lock()
		to := w.waiting[a.ID]
		w.mu.Unlock()
		if to != nil {
			to <- a
		}
	}
}

var pageFlows = []string{"enroll", "change_pin", "unblock", "renew", "recover", "set_retries", "reset"}

func (*page) has(flow string) bool { return slices.Contains(pageFlows, flow) }

func (p *page) run(t *testing.T, person string, a attempt, paused func()) report {
	t.Helper()
	w := p.workers[person]
	to := make(chan answer, 1)
	w.mu.Lock()
	w.last++
	id := w.last
	w.waiting[id] = to
	w.mu.Unlock()
	w.send(t, struct {
		ID int `json:"id"`
		attempt
	}{id, a})
	for {
		select {
		case got := <-to:
			if !got.Paused {
				got.checkStages(t, a)
				return got.report
			}
			paused()
			w.send(t, map[string]int{"id": id})
		case <-w.ended:
			t.Fatal("the page's flows ended too soon")
		}
	}
}

func (w *worker) send(t *testing.T, line any) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	must(t, w.out.Encode(line))
}

// checkStages checks that each event has a step that the stepper shows, and that they
// come in order unless an attempt is resumed.
func (a answer) checkStages(t *testing.T, of attempt) {
	t.Helper()
	if slices.Contains(a.Stages, -1) {
		t.Errorf("%s: an event stands at no step of its flow: %v", of.Flow, a.Stages)
	}
	if a.Outcome != "done" {
		return
	}
	if len(a.Stages) == 0 || a.Stages[len(a.Stages)-1] != a.Last {
		t.Errorf("%s ends before its last step: %v", of.Flow, a.Stages)
	}
	if of.Chosen == "" && !a.Resumed && !a.Unchanged && !slices.IsSorted(a.Stages) {
		t.Errorf("%s: the steps come out of order: %v", of.Flow, a.Stages)
	}
}
