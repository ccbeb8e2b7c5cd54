package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/hardening"
	"github.com/keyward/keyward/internal/keypair"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/system"
	"github.com/keyward/keyward/internal/vault"
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

// patience bounds each step.
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
	for _, look := range []func(context.Context){d.files, d.server, d.clock, d.database, d.vault, d.certificate, d.lastSeen} {
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

// files looks at the owners and modes of the data directory and of the files with secrets.
func (d *doctor) files(context.Context) {
	fine := true
	if _, err := os.Stat(d.Config.Data); err != nil {
		d.add("files", Failure, "The data directory (DATA) can't be read: "+err.Error())
		return
	}
	if err := ownData(d.Config); err != nil {
		fine = false
		d.add("files", Failure, err.Error())
	}
	secrets := maps.Clone(d.Config.Files)
	if secrets == nil {
		secrets = map[string]string{}
	}
	if d.Config.TLSKeyFile != "" {
		secrets["TLS_KEY"] = d.Config.TLSKeyFile
	}
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		switch err := hardening.CheckNotWritableByOthers(secrets[name], true); {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			fine = false
			d.add("files", Failure, name+"_FILE: "+err.Error())
		case err != nil:
			fine = false
			d.add("files", Attention, name+"_FILE: "+err.Error())
		}
	}
	if fine {
		d.add("files", Fine, "Others can neither change the data directory nor read the secrets.")
	}
	if free, _, known, err := space(d.Config.Data); err == nil && known && free < 1<<30 {
		d.add("files", Attention, fmt.Sprintf("Only %d MiB are left on the disk of %s. Make room.", free>>20, d.Config.Data))
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
	schema, err := Schema(ctx, d.Config)
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

// maxSkew is how far clocks may differ before servers refuse each other's access tokens.
const maxSkew = 30 * time.Second

// compareClock compares this machine's clock with PostgreSQL's.
func (d *doctor) compareClock(ctx context.Context) {
	if d.Config.DatabaseURL.Empty() {
		return
	}
	theirs, err := store.PostgresTime(ctx, databaseServer(d.Config))
	if err != nil {
		return // the database itself was asked before
	}
	if skew := d.Now().Sub(theirs); skew.Abs() > maxSkew {
		d.add("clock", Failure, fmt.Sprintf("It differs from the database server's by %s. Set both right.", skew.Round(time.Second)))
	}
}

// vault looks whether it is open. A running server has the embedded one, and says below how it is.
func (d *doctor) vault(ctx context.Context) {
	kv, err := vaultBeside(ctx, d.Config)
	switch {
	case errors.Is(err, ErrVaultInUse):
		d.add("vault reached", Fine, "The server has it open.")
		return
	case err != nil:
		d.add("vault reached", Failure, err.Error())
		return
	}
	state := kv.State(ctx)
	if err := kv.Close(); err != nil {
		d.add("vault reached", Attention, err.Error())
	}
	switch state {
	case vault.Connected:
		d.add("vault reached", Fine, "It is open.")
	case vault.Sealed:
		d.add("vault reached", Failure, "It is sealed. Unseal it: docs/operations.md, When it is sealed or unavailable.")
	case vault.Denied:
		d.add("vault reached", Failure, "It refuses the server's credentials (VAULT_SECRET_ID_FILE, VAULT_TOKEN_FILE or what you use "+
			"instead). Renew them: docs/rotation.md, Vault's credentials.")
	default:
		d.add("vault reached", Failure, fmt.Sprintf("It is %s. Look at its own state, and at VAULT_ADDR.", state))
	}
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
		d.add("last check", Failure, "The server has not looked at its parts for "+age.Round(time.Minute).String()+
			". It hangs: restart it.", last.Health.CheckedAt)
	case age > stale:
		d.add("last check", Attention, "What follows is what the server saw before it ended.", last.Health.CheckedAt)
	default:
		d.add("last check", Fine, "The server looked at all its parts.", last.Health.CheckedAt)
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

// date judges when something ends.
func (d *doctor) date(of date) {
	left := of.At.Sub(d.Now())
	soon := map[dated]time.Duration{caEnds: 90 * day, crlEnds: 12 * time.Hour, signerEnds: 7 * day, licenseEnd: 14 * day}[of.Of]
	name := string(of.Of)
	if of.ID != "" {
		name += " " + of.ID
	}
	switch {
	case soon == 0:
		d.add(name, Fine, "It was "+ago(-left)+" ago.", of.At) // backups judges whether that is too long
	case left <= 0:
		d.add(name, Failure, "It has ended.", of.At)
	case left < soon:
		d.add(name, Attention, "It ends in "+ago(left)+".", of.At)
	default:
		d.add(name, Fine, "It lasts for "+ago(left)+".", of.At)
	}
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

// certificate looks at the end of the server's own.
func (d *doctor) certificate(context.Context) {
	path := d.Config.TLSCertFile
	if path == "" {
		return
	}
	pair, err := keypair.Open(path, d.Config.TLSKeyFile, slog.New(slog.DiscardHandler))
	if err != nil {
		d.add("TLS certificate", Failure, err.Error())
		return
	}
	end := pair.Leaf().NotAfter
	switch left := end.Sub(d.Now()); {
	case left <= 0:
		d.add("TLS certificate", Failure, "It has ended. Replace it: the server notices.", end)
	case left < 21*day:
		d.add("TLS certificate", Attention, "It ends in "+ago(left)+". Replace it: the server notices.", end)
	default:
		d.add("TLS certificate", Fine, "It lasts for "+ago(left)+".", end)
	}
}
