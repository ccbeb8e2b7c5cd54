package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/textinput"
)

type restoreFlags struct {
	at                               *place
	passwordFile, secretKeyFile, crl string
	list, json, virtual              bool
	want                             app.RestoreRequest
	place                            backup.Settings
}

// restoreCommand is "keyward restore".
func restoreCommand(std IO) *cobra.Command {
	f := &restoreFlags{place: backup.DefaultSettings()}
	c := commandline.WithArguments("restore [FILE]", "restore a backup, onto a bare server or a stopped installation",
		`Restores a backup onto a bare machine (with an empty data directory, or an empty
DATABASE_URL and VAULT_ADDR), or over a stopped installation. It checks
everything before it changes anything.

On a bare machine, everything becomes as it was: accounts with their passwords,
secrets, the CA with its revocations, the audit log. Over an installation, it
deletes nothing, revocations stay, newer secrets stay current, and so does what
decides who may do what: accounts, roles, organizations, single sign-on, password
rules, mail, webhooks, and whose a token is. Accounts that were missing come back
disabled. Everyone is signed out, and all API keys are revoked.

The backups are, by default, where the installation's settings say, or otherwise
in BACKUP_DIRECTORY, or in backups in the data directory. --bucket or --prefix,
and what goes with them, name another place.

The encryption password comes from a prompt or the next line of standard input,
from a file with --password-file (/dev/fd/3 is one), or from
KEYWARD_BACKUP_PASSWORD. Run it as the same user as the server. Exit codes: 0
done, 1 failed, 2 wrong usage.`, 1,
		func(ctx context.Context, args []string) error {
			f.want.File = cmp.Or(first(args), f.want.File)
			return f.run(ctx, std)
		})
	c.Example = "  keyward restore backup-full-20260101-020000.enc --dry-run\n  keyward restore --list\n  keyward restore --key KEY"
	commandline.Text(c, &f.want.File, "file", "FILE", "a backup on this machine, as the argument")
	commandline.Text(c, &f.want.Key, "key", "KEY", "a backup in the store, as --list shows them")
	commandline.Bool(c, &f.list, "list", "only list the backups, newest first")
	commandline.Bool(c, &f.want.DryRun, "dry-run", "only check the backup, and show what would be replaced")
	commandline.Bool(c, &f.want.Resume, "resume", "continue a restore that stopped in its vault part")
	commandline.Bool(c, &f.want.ReplaceCA, "replace-ca", "allow the backup to replace another CA, or an installation that is "+
		"still unused")
	commandline.Text(c, &f.crl, "crl", "FILE", "the last list of revoked certificates that was published, in DER or PEM, as any proxy "+
		"in front of the server has it: brings back what was revoked since the backup")
	commandline.Bool(c, &f.want.AcceptClock, "accept-clock", "take a backup with times that lie ahead of this machine's clock or "+
		"of the backup itself: a clock was wrong")
	commandline.Bool(c, &f.json, "json", "print the result as JSON, on standard output")
	commandline.Text(c, &f.passwordFile, "password-file", "FILE", "a file with the encryption password")
	commandline.Text(c, &f.place.Endpoint, "s3-endpoint", "URL", "KEYWARD_BACKUP_S3_ENDPOINT; without it, AWS itself")
	commandline.Text(c, &f.place.Region, "region", "REGION", "KEYWARD_BACKUP_REGION")
	commandline.Text(c, &f.place.Bucket, "bucket", "NAME", "KEYWARD_BACKUP_BUCKET")
	commandline.Text(c, &f.place.Prefix, "prefix", "PREFIX", "KEYWARD_BACKUP_PREFIX; for a directory, too")
	commandline.Text(c, &f.place.AccessKeyID, "access-key-id", "ID", "KEYWARD_BACKUP_ACCESS_KEY_ID")
	commandline.Text(c, &f.secretKeyFile, "secret-key-file", "FILE", "a file with the secret access key; without it, a prompt or "+
		"the first line of standard input")
	commandline.Bool(c, &f.virtual, "virtual-hosted", "put the bucket in the host name, not in the path")
	commandline.Bool(c, &f.place.InsecureTLS, "insecure-tls", "don't check the store's certificate; for one of your own CA, use "+
		"the setting S3_CA_FILE instead")
	f.at = placed(c)
	return c
}

func (f *restoreFlags) run(ctx context.Context, std IO) error {
	switch {
	case f.list && (f.want.Key != "" || f.want.File != ""):
		return usagef("restore: --list takes no backup")
	case !f.list && (f.want.Key == "") == (f.want.File == ""):
		return usagef("restore: give a file, or a backup in the store with --key")
	case f.want.Resume && f.want.DryRun:
		return usagef("restore: --resume and --dry-run can't be combined")
	}
	cfg, err := f.at.settings(config.Serve, std)
	if err != nil {
		return err
	}
	in := &signIn{std: std, lines: bufio.NewReaderSize(std.Stdin, maxSecret)}
	if err := f.takePlace(in, std); err != nil {
		return err
	}
	if f.list {
		return f.tellBackups(ctx, cfg, std)
	}
	if f.crl != "" {
		if f.want.CRL, err = readCRL(f.crl); err != nil {
			return fmt.Errorf("restore: --crl: %w", err)
		}
	}
	if f.want.Password, err = secretFrom(in, f.passwordFile, "KEYWARD_BACKUP_PASSWORD", "Encryption password"); err != nil {
		return err
	}
	f.want.Via = "keyward restore" + operator()
	f.want.Tell = progressTo(std.Stderr)
	out, err := app.Restore(ctx, cfg, f.want)
	if err != nil {
		if fault, ok := fault.As(err); ok {
			return fmt.Errorf("restore: %s", fault.Detail)
		}
		return fmt.Errorf("restore: %w", err)
	}
	return f.tell(std.Stdout, cfg, out)
}

// maxCRL bounds a CRL file, in bytes: some millions of entries.
const maxCRL = 256 << 20

// readCRL reads a CRL in DER or PEM.
func readCRL(path string) (*x509.RevocationList, error) {
	file, err := os.Open(path) // #nosec G304 -- whoever restores names it
	if err != nil {
		return nil, err
	}
	defer file.Close()
	der, err := io.ReadAll(io.LimitReader(file, maxCRL))
	if err != nil {
		return nil, err
	}
	if block, _ := textinput.PEM(der); block != nil {
		der = block.Bytes
	}
	list, err := x509.ParseRevocationList(der)
	if err != nil {
		return nil, fmt.Errorf("%s is no list of revoked certificates, in DER or PEM: %w", path, err)
	}
	return list, nil
}

// secretFrom reads a secret from a file, the environment, a prompt, or the next line of
// standard input.
func secretFrom(in *signIn, file, variable, prompt string) (secret.String, error) {
	if file != "" {
		s, err := config.ReadSecret(file)
		if err != nil {
			return s, fmt.Errorf("restore: %w", err)
		}
		return s, nil
	}
	return in.secret(variable, prompt)
}

// takePlace reads where the backups are, if specified.
func (f *restoreFlags) takePlace(in *signIn, std IO) (err error) {
	for variable, into := range map[string]*string{
		"KEYWARD_BACKUP_S3_ENDPOINT": &f.place.Endpoint, "KEYWARD_BACKUP_REGION": &f.place.Region, "KEYWARD_BACKUP_BUCKET": &f.place.Bucket,
		"KEYWARD_BACKUP_PREFIX": &f.place.Prefix, "KEYWARD_BACKUP_ACCESS_KEY_ID": &f.place.AccessKeyID,
	} {
		if *into == "" {
			*into = std.Getenv(variable)
		}
	}
	if f.place.Bucket == "" && f.place.Prefix == "" {
		if f.place.Endpoint != "" || f.place.AccessKeyID != "" {
			return usagef("restore: --bucket is missing")
		}
		return nil
	}
	place := &app.StorePlace{Settings: f.place}
	if f.place.Bucket != "" {
		place.Settings.Store, place.Settings.PathStyle = backup.Bucket, f.place.Endpoint != "" && !f.virtual
		if place.SecretKey, err = secretFrom(in, f.secretKeyFile, "", "Secret access key"); err != nil {
			return err
		}
	}
	f.want.Place = place
	return nil
}

type listedBackup struct {
	Key       string    `json:"key"`
	Type      string    `json:"type"`
	SizeBytes int64     `json:"size_bytes"`
	CreatedAt time.Time `json:"created_at"`
}

func (f *restoreFlags) tellBackups(ctx context.Context, cfg config.Config, std IO) error {
	list, total, err := app.Backups(ctx, cfg, f.want.Place, objstore.MaxListed)
	if err != nil {
		if fault, ok := fault.As(err); ok {
			return fmt.Errorf("restore: %s", fault.Detail)
		}
		return fmt.Errorf("restore: %w", err)
	}
	if f.json {
		out := make([]listedBackup, len(list))
		for i, b := range list {
			out[i] = listedBackup{b.Key, string(b.Type), b.SizeBytes, b.CreatedAt.UTC()}
		}
		return json.NewEncoder(std.Stdout).Encode(map[string]any{"items": out, "total": total})
	}
	for _, b := range list {
		fmt.Fprintf(std.Stdout, "%s  %-8s  %12d  %s\n", b.CreatedAt.UTC().Format(time.RFC3339), b.Type, b.SizeBytes, b.Key)
	}
	if len(list) == 0 {
		fmt.Fprintln(std.Stderr, "There is no backup.")
	}
	return nil
}

type restoreResult struct {
	DryRun    bool     `json:"dry_run"`
	Over      string   `json:"over"` // bare, fresh, living; empty: the database is not replaced
	OtherCA   bool     `json:"other_ca"`
	Type      string   `json:"type"`
	CreatedAt string   `json:"created_at,omitempty"`
	Outcome   string   `json:"outcome,omitempty"`
	Details   string   `json:"details,omitempty"`
	Warnings  []string `json:"warnings"`
}

func (f *restoreFlags) tell(w io.Writer, cfg config.Config, out app.RestoreResult) error {
	if f.json {
		r := restoreResult{
			DryRun: f.want.DryRun, Over: string(out.Plan.Database), OtherCA: out.Plan.OtherCA, Type: string(out.Plan.Type),
			Outcome: string(out.Job.Outcome), Details: backup.Counted(out.Job.Details), Warnings: fault.Texts(out.Job.Warnings),
		}
		if f.want.DryRun {
			r.CreatedAt = out.Contents.Header.CreatedAt.UTC().Format(time.RFC3339)
		}
		return json.NewEncoder(w).Encode(r)
	}
	if f.want.DryRun {
		tellPlan(w, out)
		return nil
	}
	fmt.Fprintf(w, "%s\n", backup.Counted(out.Job.Details))
	for _, warning := range out.Job.Warnings {
		fmt.Fprintln(w, "  "+warning.Text)
	}
	fmt.Fprintf(w, "\nNext:\n  keyward audit verify --data %s\n  keyward serve --data %s   (with SITE_URL as it was)\n", cfg.Data, cfg.Data)
	if out.Plan.Database != "living" {
		fmt.Fprintln(w, "What happened after the backup is missing: accounts, tokens, secrets that were changed, certificates, revocations. "+
			"Revocations\ncome back from the last list that was published: run the command again with --crl. See \"The worst day\" in "+
			"docs/operations.md.")
	}
	fmt.Fprintln(w, "Everyone signs in again with the password they had. All API keys are revoked: create new ones. On a "+
		"new server, set the\nencryption password of the backups again, and create a backup.")
	return nil
}

func tellPlan(w io.Writer, out app.RestoreResult) {
	h := out.Contents.Header
	fmt.Fprintf(w, "A %s backup of %s: %d documents of the vault, %d bytes of SQL. It opens, and can be restored.\n",
		h.Type, h.CreatedAt.UTC().Format(time.RFC3339), out.Contents.Secrets, out.Contents.DatabaseBytes)
	switch out.Plan.Database {
	case "bare":
		fmt.Fprintln(w, "The database is empty: everything comes from the backup.")
	case "fresh":
		fmt.Fprintln(w, "The installation here, which nobody uses yet, is replaced by the backup's, and its accounts are deleted.")
	case "living":
		fmt.Fprintln(w, `The installation here is the one in the backup: nothing is deleted, newer data stays, and all sessions end.
From the backup: what is missing today (accounts come back disabled, webhooks turned off), names of organizations,
labels, models and firmware of tokens.
Kept as today:
  accounts: username, email, name, role, organization, activity and password, since a restore gives nobody more access
  organizations: email domains and activity
  tokens: owner, organization and status
  single sign-on, password rules, mail and webhooks
To get these as they are in the backup, restore it onto an empty computer.`)
	case "":
		if !out.Plan.Again {
			fmt.Fprintln(w, "The database doesn't change, except that all sessions end and all API keys are revoked.")
		}
	}
	if out.Plan.OtherCA {
		fmt.Fprintln(w, "The CA becomes the one in the backup, if the vault accepts it.")
	}
	fmt.Fprintln(w, "Nothing was changed.")
}
