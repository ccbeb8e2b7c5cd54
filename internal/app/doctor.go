package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/system"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
)

// Gravity is how bad a finding is.
type Gravity string

// The gravities, from good to bad.
const (
	Fine      Gravity = "ok"
	Attention Gravity = "attention" // it works, and somebody should act soon
	Failure   Gravity = "failed"
)

// Diagnosis is what keyward doctor found.
type Diagnosis struct {
	Gravity   Gravity   `json:"gravity"` // of the worst finding
	Version   string    `json:"version"` // of this program
	CheckedAt time.Time `json:"checked_at"`
	Findings  []Finding `json:"findings"`
}

// Finding is one line of a diagnosis.
type Finding struct {
	About   string     `json:"about"`
	Gravity Gravity    `json:"gravity"`
	Text    string     `json:"text"` // says what to do, unless all is well
	At      *time.Time `json:"at,omitempty"`
}

// Examination is what a doctor needs.
type Examination struct {
	Version string
	Config  config.Config
	// Ask asks the server on this machine for /readyz and for the version in /health.
	Ask func(ctx context.Context) (ready bool, version string, err error)
	Now func() time.Time
}

// doctor collects findings.
type doctor struct {
	Examination
	Diagnosis

	running bool
}

// doctorPatience bounds each step.
const doctorPatience = 10 * time.Second

// Doctor looks at an installation from its machine, whether or not the server is running. It changes
// nothing. mistakes are what is wrong with the settings; then nothing else can be looked at.
func Doctor(ctx context.Context, e Examination, mistakes error) Diagnosis {
	d := &doctor{Examination: e, Diagnosis: Diagnosis{Gravity: Fine, Version: e.Version, CheckedAt: e.Now().UTC()}}
	if mistakes != nil {
		var list config.Mistakes
		if !errors.As(mistakes, &list) {
			d.add("settings", Failure, mistakes.Error())
		}
		for _, m := range list {
			d.add("settings", Failure, m.Setting+" "+m.Message)
		}
		return d.Diagnosis
	}
	d.add("settings", Fine, "They can be used.")
	for _, look := range []func(context.Context){d.files, d.server, d.clock, d.database, d.vault, d.certificates, d.lastSeen} {
		limited, cancel := context.WithTimeout(ctx, doctorPatience)
		look(limited)
		cancel()
	}
	return d.Diagnosis
}

func (d *doctor) add(about string, g Gravity, text string, at ...time.Time) {
	f := Finding{About: about, Gravity: g, Text: text}
	if len(at) > 0 && !at[0].IsZero() {
		utc := at[0].UTC()
		f.At = &utc
	}
	d.Findings = append(d.Findings, f)
	order := []Gravity{Fine, Attention, Failure}
	if slices.Index(order, g) > slices.Index(order, d.Gravity) {
		d.Gravity = g
	}
}

// server asks the server on this machine.
func (d *doctor) server(ctx context.Context) {
	ready, version, err := d.Ask(ctx)
	switch {
	case err != nil:
		d.add("server", Failure, "No server answers on this machine ("+err.Error()+"). Start it; its log says why it ended.")
		return
	case !ready:
		d.add("server", Failure, "It answers, but is not ready for requests: see the findings below.")
	default:
		d.add("server", Fine, "It is ready for requests.")
	}
	d.running = true
	if version != d.Examination.Version {
		d.add("version", Attention, fmt.Sprintf("The server runs %s, and this program is %s. If you have upgraded, restart the server.",
			version, d.Examination.Version))
		return
	}
	d.add("version", Fine, version)
}

// clock looks whether this machine's clock is synchronized.
func (d *doctor) clock(context.Context) {
	switch synchronized, known := clockSynchronized(); {
	case !known:
	case synchronized:
		d.add("clock", Fine, "It is synchronized.")
	default:
		d.add("clock", Attention, "Nothing keeps this machine's clock right. Start a time service (NTP), such as systemd-timesyncd or chrony.")
	}
}

// database looks whether it answers and has this program's schema.
func (d *doctor) database(ctx context.Context) {
	var schema store.Schema
	err := error(nil)
	if d.Config.DatabaseURL.Empty() {
		err = checkEngineMarker(d.Config, databaseFile, "DATABASE_URL", func(was engineMarker) string { return was.Database })
	}
	if err == nil {
		schema, err = Schema(ctx, d.Config)
	}
	if err != nil {
		d.add("database reached", Failure, err.Error())
		return
	}
	switch {
	case schema.Have < schema.Want && !d.running:
		d.add("database reached", Attention, fmt.Sprintf("It has schema version %d, and this program %d: the server updates it when it starts.",
			schema.Have, schema.Want))
	case !schema.Fits() && schema.Have > schema.Want:
		d.add("database reached", Failure, fmt.Sprintf("It has schema version %d, newer than this program's %d: use the newer program.",
			schema.Have, schema.Want))
	default:
		d.add("database reached", Fine, fmt.Sprintf("It answers, and has schema version %d.", schema.Have))
	}
	d.compareClock(ctx)
}

// compareClock compares this machine's clock with PostgreSQL's.
func (d *doctor) compareClock(ctx context.Context) {
	if d.Config.DatabaseURL.Empty() {
		return
	}
	theirs, err := store.PostgresTime(ctx, databaseServer(d.Config))
	if err != nil {
		return // the database itself was asked before
	}
	if skew := d.Now().Sub(theirs); skew.Abs() > session.ClockSkew {
		d.add("clock", Failure, fmt.Sprintf("It differs from the database server's by %s. Set both right.", skew.Round(time.Second)))
	}
}

// vault looks whether it can be opened. A running server has the embedded one, and says below how it is.
func (d *doctor) vault(ctx context.Context) {
	const about = "vault reached"
	if d.Config.VaultAddr == "" {
		err := checkEngineMarker(d.Config, vaultFile, "VAULT_ADDR", func(was engineMarker) string { return was.Vault })
		if err == nil {
			err = examineVault(ctx, d.Config)
		}
		switch {
		case errors.Is(err, embedded.ErrLocked) && d.running:
			d.add(about, Fine, "The server has it open.")
		case errors.Is(err, embedded.ErrLocked):
			d.add(about, Attention, "Another process has it open, and no server answers: look for a keyward that is left over.")
		case err != nil:
			d.add(about, Failure, err.Error())
		default:
			d.add(about, Fine, "Its key opens it.")
		}
		return
	}
	kv, err := vaultBeside(ctx, d.Config)
	if err != nil {
		d.add(about, Failure, err.Error())
		return
	}
	state := kv.State(ctx)
	if err := kv.Close(); err != nil {
		d.add(about, Attention, err.Error())
	}
	switch state {
	case vault.Connected:
		d.add(about, Fine, "It answers, and accepts the server's credentials.")
	case vault.Sealed:
		d.add(about, Failure, "It is sealed. Unseal it: docs/operations.md, When it is sealed or unavailable.")
	case vault.Denied:
		d.add(about, Failure, "It refuses the server's credentials (VAULT_SECRET_ID_FILE, VAULT_TOKEN_FILE or what you use "+
			"instead). Renew them: docs/rotation.md, Vault's credentials.")
	default:
		d.add(about, Failure, fmt.Sprintf("It is %s. Look at its own state, and at VAULT_ADDR.", state))
	}
}

// examineVault reports whether the embedded vault opens.
func examineVault(ctx context.Context, cfg config.Config) error {
	path := filepath.Join(cfg.Data, vaultFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return errors.New("there is no vault in the data directory")
	}
	return embedded.Examine(ctx, embedded.Options{Path: path, Seal: seal(cfg), PublicBase: "http://localhost"})
}

// stale is how old a look may be that a server takes every minute.
const stale = 3 * lookEvery

// lastSeen repeats what the server last saw of its parts, and of what ends.
func (d *doctor) lastSeen(context.Context) {
	last, err := readLastCheck(d.Config)
	switch {
	case err != nil:
		d.add("last check", Attention, "What the server last saw can't be read: "+err.Error())
		return
	case last == nil:
		d.add("last check", Attention, "No server has looked at its parts here yet.")
		return
	}
	age := d.Now().Sub(last.Health.CheckedAt)
	switch {
	case age > stale && d.running:
		d.add("last check", Failure, "For "+ago(age)+", the server has not noted what it sees. It can't write to its data directory, "+
			"or it hangs: its log says which. If it hangs, restart it.", last.Health.CheckedAt)
	case age > stale:
		d.add("last check", Attention, "What follows is what the server saw before it ended.", last.Health.CheckedAt)
	default:
		text := "The server looked at all its parts."
		if last.Leads {
			text = "The server looked at all its parts. It leads."
		}
		d.add("last check", Fine, text, last.Health.CheckedAt)
	}
	for _, c := range last.Health.Components {
		d.component(c)
	}
	for _, each := range last.Dates {
		d.date(each)
	}
}

func (d *doctor) component(c system.ComponentReport) {
	g := Fine
	switch c.Status {
	case system.Degraded:
		g = Attention
	case system.Failed, system.TimedOut:
		g = Failure
	case system.OK, system.NotConfigured:
	}
	text := cmp.Or(c.Detail, "It works.")
	if c.Status == system.NotConfigured {
		text = cmp.Or(c.Detail, "It is not set up.")
		if c.Name == "backups" {
			g = Attention
		}
	}
	d.add(c.Name, g, text)
}

const day = 24 * time.Hour

// ago is a duration in its largest unit.
func ago(d time.Duration) string {
	for _, unit := range []struct {
		name string
		of   time.Duration
	}{{"days", day}, {"hours", time.Hour}} {
		if d >= 2*unit.of {
			return fmt.Sprintf("%d %s", d/unit.of, unit.name)
		}
	}
	return fmt.Sprintf("%d minutes", d/time.Minute)
}
