package main

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/intentlog"
)

// auditCommand is "keyward audit".
func auditCommand(std IO) *cobra.Command {
	return commandline.Group("audit COMMAND", "verify that nobody changed the audit log", "Works on the audit log.", auditVerifyCommand(std))
}

func auditVerifyCommand(std IO) *cobra.Command {
	var keys []ed25519.PublicKey
	var head string
	var allow bool
	var at *place
	c := commandline.Leaf("verify", "verify that nobody changed the audit log",
		`Reads the whole audit log and its chain of signatures. Exits with code 0 and a
summary if everything is as it was sealed. Otherwise it exits with 1, and names
the first entry that was edited, removed, inserted or moved; changes to the
database's tables (triggers, rules, views in their place, other columns); and,
by token and entry, each release of secrets that the vault has logged but that
is missing or changed in the audit log. It also exits with 1 if a certificate
that the vault knows as recorded is missing, is a different one, or has no
unchanged audit entry for its issuance.

Not errors: releases and certificates that are only in the database (cut off
before they left, or from a restore), which it counts, with the newest
IDs; and certificates that the vault only noted in advance, which it counts.

The vault knows which key signs the chain and where it ends, so stop a server
with an embedded vault first. With --public-key, the command doesn't ask the
vault: it doesn't check releases and certificates, and the server can keep
running. GET /api/admin/audit/seal returns the key and the signed head. Keep
copies of both elsewhere, where nobody can change them.

If an ID had no entry when it was sealed, someone removed the entry within the
minute before that: this also means exit code 1. --allow-absent reports such
IDs and checks the rest, for logs where you know the reason.`,
		func(ctx context.Context) error { return auditVerify(ctx, at, keys, head, allow, std) })
	commandline.Func(c, "public-key", "HEX", "the installation's key, 64 hexadecimal digits; after a restore from a backup, first "+
		"the former keys (former_public_keys), each with its own --public-key", func(text string) error {
		raw, err := hex.DecodeString(text)
		if err != nil || len(raw) != ed25519.PublicKeySize {
			return errors.New("must be 64 hexadecimal digits")
		}
		keys = append(keys, raw)
		return nil
	})
	commandline.Text(c, &head, "head", "FILE|HASH", "an answer of GET /api/admin/audit/seal, or just its hash: the log must contain "+
		"it. Without it, nothing shows whether the end of the log was cut off")
	commandline.Bool(c, &allow, "allow-absent", "report IDs without an entry, and check the rest")
	at = placed(c)
	return c
}

func auditVerify(ctx context.Context, at *place, keys []ed25519.PublicKey, head string, allow bool, std IO) error {
	anchor, err := givenAnchor(keys, head)
	if err != nil {
		return err
	}
	cfg, err := at.settings(config.Serve, std)
	if err != nil {
		return err
	}
	report, err := app.VerifyAudit(ctx, cfg, anchor)
	if err != nil {
		return fmt.Errorf("audit verify: %w", err)
	}
	if anchor != nil && head == "" {
		fmt.Fprintln(std.Stderr, "Without --head, nothing shows whether the end of the log was cut off.")
	}
	noteReleases(std.Stderr, report.Releases)
	noteIssuances(std.Stderr, report.Issuances)
	switch {
	case report.Absent == 0:
	case !cfg.DatabaseURL.Empty():
		fmt.Fprintf(std.Stderr, "ids below the last sealed one without an entry: %d, the first is %d. On PostgreSQL, "+
			"transactions that are rolled back use up ids, so this is no sign of a removed entry.\n", report.Absent, report.FirstAbsent)
	default:
		const text = "first missing entry: %d: ids below the last sealed one that had no entry when they were sealed: %d"
		if !allow {
			return fmt.Errorf("audit verify: "+text+". Someone removed them from the database before that; the rest is as it was sealed. With "+
				"--allow-absent, this is not an error", report.FirstAbsent, report.Absent)
		}
		fmt.Fprintf(std.Stderr, text+"\n", report.FirstAbsent, report.Absent)
	}
	if others := report.Schema.Others; len(others) > 0 {
		fmt.Fprintf(std.Stderr, "beside Keyward's tables, the database has: %s\n", strings.Join(others, ", "))
	}
	if report.Schema.Newer {
		fmt.Fprintln(std.Stderr, "a newer program wrote this database, so its schema was only checked for triggers, rules and the like")
	}
	return summary(std.Stdout, report)
}

// noteIssuances prints what is not a fault.
func noteIssuances(w io.Writer, r *intentlog.IssuanceReport) {
	if r == nil {
		return
	}
	var parts []string
	for _, outcome := range slices.Sorted(maps.Keys(r.Unrecorded)) {
		parts = append(parts, fmt.Sprintf("%s %d", cmp.Or(string(outcome), "open"), r.Unrecorded[outcome]))
	}
	if len(parts) > 0 {
		fmt.Fprintf(w, "certificates that the vault only logged in advance (GET /api/certificates/unrecorded): %s\n",
			strings.Join(parts, ", "))
	}
	if r.Unknown > 0 {
		fmt.Fprintf(w, "certificates that only the database has, from a restore: %d, the newest %s\n",
			r.Unknown, strings.Join(r.Newest, " "))
	}
}

// noteReleases prints what is not a fault.
func noteReleases(w io.Writer, r *intentlog.ReleaseReport) {
	if r == nil {
		fmt.Fprintln(w, "With --public-key, the vault is not asked, so nothing checked whether every release of secrets is in "+
			"the log and every certificate is on record.")
		return
	}
	if r.Lost > 0 {
		fmt.Fprintf(w, "releases without entries because an older database was accepted: %d\n", r.Lost)
	}
	if r.Unknown > 0 {
		fmt.Fprintf(w, "releases that only the database has, interrupted before they left or from a restore: %d, the newest %s\n",
			r.Unknown, strings.Trim(fmt.Sprint(r.Newest), "[]"))
	}
}

func summary(w io.Writer, r app.Verified) error {
	line := fmt.Sprintf("ok entries=0 batches=0 unsealed=%d", r.Unsealed)
	if r.Batches > 0 {
		line = fmt.Sprintf("ok entries=%d batches=%d segments=%d unsealed=%d last_sealed_id=%d sealed_at=%s head=%s",
			r.Entries, r.Batches, r.Segments, r.Unsealed, r.Head.LastID, r.Head.SealedAt.UTC().Format(time.RFC3339Nano), r.Head.Hash)
	}
	if r.Releases != nil {
		line += fmt.Sprintf(" releases=%d", r.Releases.Releases)
	}
	if r.Issuances != nil {
		line += fmt.Sprintf(" certificates=%d", r.Issuances.Recorded)
	}
	_, err := fmt.Fprintln(w, line)
	return err
}

// givenAnchor parses --public-key and --head; nil without them.
func givenAnchor(keys []ed25519.PublicKey, head string) (a *chain.Anchor, err error) {
	if len(keys) == 0 {
		if head != "" {
			return nil, usagef("audit verify: --head needs --public-key")
		}
		return nil, nil
	}
	a = &chain.Anchor{Keys: keys}
	if head == "" {
		return a, nil
	}
	if raw, err := hex.DecodeString(head); err == nil && len(raw) == len(chain.Hash{}) {
		a.Hash = strings.ToLower(head)
		return a, nil
	}
	a.Head, err = readHead(head)
	return a, err
}

const maxHeadFile = 64 << 10

func readHead(path string) (*chain.Head, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, usagef("audit verify: --head must be a hash of 64 hexadecimal digits, or a readable file")
	}
	defer f.Close()
	var h chain.Head
	if err := json.NewDecoder(io.LimitReader(f, maxHeadFile)).Decode(&h); err != nil || h.Batch < 1 {
		return nil, usagef("audit verify: --head names a file that is not an answer of GET /api/admin/audit/seal with a sealed batch")
	}
	return &h, nil
}
