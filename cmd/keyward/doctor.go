package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/config"
)

// errAttention and errFailure are the outcomes of a diagnosis that is already shown.
var (
	errAttention = errors.New("something needs attention")
	errFailure   = errors.New("something has failed")
)

// doctorCommand is "keyward doctor".
func doctorCommand(std IO) *cobra.Command {
	var asJSON bool
	var at *place
	c := commandline.Leaf("doctor", "look at everything, and say what is wrong and what to do",
		`Looks at an installation from the server's machine, and changes nothing: the
settings, files and their modes, whether the server answers and is of this
version, the clock, database and vault, when certificates, revocation lists and
the license end, the last backup and trial restore, and all that the server saw
in its own look at its parts, at most a minute ago. It says what to do.

It works whether or not the server is running, and needs no account.

Exit codes: 0 all is well, 1 something needs attention, 3 something has failed,
2 wrong usage.`+asServer,
		func(ctx context.Context) error { return doctor(ctx, at, asJSON, std) })
	commandline.Bool(c, &asJSON, "json", "print the findings as JSON")
	at = placed(c)
	return c
}

func doctor(ctx context.Context, at *place, asJSON bool, std IO) error {
	cfg, mistakes := at.load(config.Serve, std)
	found := app.Doctor(ctx, app.Examination{
		Version: version, Config: cfg, Now: time.Now,
		Ask: self{cfg.Listen, cfg.TLSCertFile != ""}.ready,
	}, mistakes)
	show := tellDiagnosis
	if asJSON {
		show = func(w io.Writer, d app.Diagnosis) error {
			encoder := json.NewEncoder(w)
			encoder.SetIndent("", "  ")
			return encoder.Encode(d)
		}
	}
	if err := show(std.Stdout, found); err != nil {
		return err
	}
	switch found.Gravity {
	case app.Fine:
		return nil
	case app.Attention:
		return errAttention
	default:
		return errFailure
	}
}

// tellDiagnosis prints a line for each finding.
func tellDiagnosis(w io.Writer, d app.Diagnosis) error {
	about, gravity := 0, 0
	for _, f := range d.Findings {
		about, gravity = max(about, len(f.About)), max(gravity, len(f.Gravity))
	}
	var b strings.Builder
	for _, f := range d.Findings {
		when := ""
		if f.At != nil {
			when = " (" + f.At.Format("2006-01-02 15:04 MST") + ")"
		}
		fmt.Fprintf(&b, "%-*s  %-*s  %s%s\n", gravity, f.Gravity, about, f.About, f.Text, when)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// ready asks a server of this machine whether it takes requests, and for its version.
func (s self) ready(ctx context.Context) (ready bool, running string, err error) {
	base, client := s.client()
	var answer struct {
		Version string `json:"version"`
	}
	for _, path := range []string{"/health", "/readyz"} {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, nil)
		if err != nil {
			return false, "", err
		}
		res, err := client.Do(r)
		if err != nil {
			return false, "", err
		}
		if path == "/health" {
			err = json.NewDecoder(io.LimitReader(res.Body, 4096)).Decode(&answer)
		}
		_ = res.Body.Close()
		if err != nil || answer.Version == "" {
			return false, "", fmt.Errorf("what listens at %s is not Keyward", base)
		}
		ready = res.StatusCode == http.StatusOK
	}
	return ready, answer.Version, nil
}
