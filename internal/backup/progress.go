package backup

import "sync"

// phases are those of each kind, in their order, with the share of a job's time that
// they usually take, in percent, what they count, and how often they go through that.
var phases = map[Kind][]phase{
	Backup: {{"dump", 25, InBytes, 1}, {"vault", 25, InSecrets, 1}, {"upload", 30, InBytes, 1}, {"verify", 20, InBytes, 1}},
	Restore: {
		{"download", 20, InBytes, 1}, {"check", 30, InBytes, checkReads}, {inDatabase, 30, InRows, 1},
		{"vault", 15, InSecrets, 1}, {"finish", 5, "", 1},
	},
	Drill: {
		{"download", 25, InBytes, 1}, {"check", 30, InBytes, checkReads}, {inDatabase, 30, InRows, 1},
		{"vault", 15, InSecrets, drillPasses},
	},
}

// drillPasses: a drill writes each secret, and reads it back.
const drillPasses = 2

// Unit is what a phase counts.
type Unit string

// The units. A phase of the empty one counts nothing that people know.
const (
	InBytes   Unit = "bytes"
	InRows    Unit = "rows" // of the database
	InSecrets Unit = "secrets"
)

// Reached is how far a job is.
type Reached struct {
	Phase   string // of its work; empty before the first
	Percent int    // of all its work, 0 to 100
	// Done is what the phase has done, of Total; that is 0 where it is not known, and Done
	// is never more than one that is.
	Done, Total int64
	Unit        Unit // of both; empty: they say nothing
}

// inDatabase is the phase of a restore in which it changes the database.
const inDatabase = "database"

type phase struct {
	name   string
	share  int
	unit   Unit
	passes int64
}

// Progress is how far a job's work is. Any goroutine of the work may tell it; it is
// written down once a second at most. A nil one takes nothing down.
type Progress struct {
	job    int64
	runner string
	heard  func()

	mu          sync.Mutex
	phases      []phase
	phase       phase
	before      int // percent of the phases that are over
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
// has, in its unit and over all its passes. 0 when it is not known.
func (p *Progress) Phase(name string, total int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.phase, p.done, p.total, p.before = phase{name: name, passes: 1}, 0, total, 0
	for _, known := range p.phases {
		if known.name == name {
			p.phase = known
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

// Now is how far it is. The percentage is below 100: that is said of a job which is over.
func (p *Progress) Now() Reached {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := Reached{Phase: p.phase.name, Percent: p.before}
	if p.total > 0 {
		now.Percent += int(float64(p.phase.share) * float64(min(p.done, p.total)) / float64(p.total))
	}
	now.Percent = min(now.Percent, 99)
	if now.Unit = p.phase.unit; now.Unit != "" {
		now.Done, now.Total = p.done/p.phase.passes, p.total/p.phase.passes
		if now.Total > 0 {
			now.Done = min(now.Done, now.Total)
		}
	}
	return now
}
