package backup

import "sync"

// phases are the phases of each kind in order, each with its usual share of a job's
// time in percent, the unit it counts, and its number of passes.
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

// drillPasses: a drill writes each secret and reads it back.
const drillPasses = 2

// Unit is what a phase counts.
type Unit string

// The units. A phase with an empty unit counts nothing that people know.
const (
	InBytes   Unit = "bytes"
	InRows    Unit = "rows" // of the database
	InSecrets Unit = "secrets"
)

// Reached is how far a job has come.
type Reached struct {
	Phase   string // current; empty before the first
	Percent int    // of the whole job, 0 to 100
	// Done is what the phase has done of Total, which is 0 if unknown; Done never
	// exceeds a known Total.
	Done, Total int64
	Unit        Unit // of both; empty: they mean nothing
}

// inDatabase is the phase in which a restore changes the database.
const inDatabase = "database"

type phase struct {
	name   string
	share  int
	unit   Unit
	passes int64
}

// Progress is the progress of a job. It is safe for concurrent use, and recorded at
// most once a second. A nil Progress does nothing.
type Progress struct {
	job    int64
	runner string
	heard  func()

	mu          sync.Mutex
	phases      []phase
	phase       phase
	before      int // percent of the finished phases
	done, total int64
}

// Job returns the job's id and runner; 0 for nil.
func (p *Progress) Job() (id int64, runner string) {
	if p == nil {
		return 0, ""
	}
	return p.job, p.runner
}

// Heard says that the work itself got an answer from the database: this server is not alone.
func (p *Progress) Heard() {
	if p != nil && p.heard != nil {
		p.heard()
	}
}

// Phase begins the next phase, by its name, with the number of its steps in its unit
// over all its passes, 0 if unknown.
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

// Add adds n finished steps of the phase.
func (p *Progress) Add(n int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
}

// Now returns the progress. The percentage stays below 100 until the job has ended.
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
