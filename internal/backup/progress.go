package backup

import "sync"

// phases are those of each kind, in their order, with the share of a job's time that
// they usually take, in percent.
var phases = map[Kind][]phase{
	Backup:  {{"dump", 25}, {"vault", 25}, {"upload", 30}, {"verify", 20}},
	Restore: {{"download", 20}, {"check", 30}, {inDatabase, 30}, {"vault", 15}, {"finish", 5}},
	Drill:   {{"download", 25}, {"check", 30}, {"database", 30}, {"vault", 15}},
}

// inDatabase is the phase of a restore in which it changes the database.
const inDatabase = "database"

type phase struct {
	name  string
	share int
}

// Progress is how far a job's work is. Any goroutine of the work may tell it; it is
// written down once a second at most. A nil one takes nothing down.
type Progress struct {
	job    int64
	runner string
	heard  func()

	mu          sync.Mutex
	phases      []phase
	name        string
	before      int // percent of the phases that are over
	share       int
	done, total int64
}

// Job is which job it is, and who works on it; 0 of a nil one.
func (p *Progress) Job() (id int64, runner string) {
	if p == nil {
		return 0, ""
	}
	return p.job, p.runner
}

// Heard says that the work itself has an answer of the database: this server is not alone.
func (p *Progress) Heard() {
	if p != nil && p.heard != nil {
		p.heard()
	}
}

// Phase begins the next phase of the work, by its name, and says how many steps it
// has: bytes, rows or secrets. 0 when it is not known.
func (p *Progress) Phase(name string, total int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.name, p.done, p.total, p.before, p.share = name, 0, total, 0, 0
	for _, known := range p.phases {
		if known.name == name {
			p.share = known.share
			return
		}
		p.before += known.share
	}
}

// Add says that n more steps of the phase are done.
func (p *Progress) Add(n int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
}

// Now is the phase, and the percentage of all work, for whoever waits for it here.
func (p *Progress) Now() (phase string, percent int) { return p.now() }

// now is the phase, and the percentage of all work. It is below 100: that is said
// of a job which is over.
func (p *Progress) now() (name string, percent int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	percent = p.before
	if p.total > 0 {
		percent += int(float64(p.share) * float64(min(p.done, p.total)) / float64(p.total))
	}
	return p.name, min(percent, 99)
}
