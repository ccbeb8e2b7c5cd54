package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/template"
	"time"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/fault"
)

// backupFlags are those of "keyward backup".
type backupFlags struct {
	kind, key          string
	drill, json, sheet bool
	at                 *place
}

// backupCommand is "keyward backup".
func backupCommand(std IO) *cobra.Command {
	w := &backupFlags{kind: "full"}
	c := commandline.Leaf("backup", "create an encrypted backup, test one, or print where they are",
		`Makes one encrypted backup, using the place and password in the backup settings
(page Backups, or PUT /api/backup/settings), reads it back and compares it.
Exits with code 0 if the backup is there and verified, otherwise with 1: then
nothing is left of it, or the message names what could not be deleted.
Progress goes to standard error, the backup's key to standard output.

The audit log records it. Run it as the same user as the server. Only one
program can open the embedded vault: while its server runs, use the page or the
API instead. With PostgreSQL and a Vault of your own, servers can keep
running.`, nil)
	c.Example = "  keyward backup\n  keyward backup --drill\n  keyward backup --sheet"
	c.RunE = func(c *cobra.Command, _ []string) error {
		return w.run(c.Context(), commandline.Given(c, "type"), std)
	}
	commandline.OneOf(c, &w.kind, "type", "TYPE", "what to back up: full, database or vault", "full", "database", "vault")
	commandline.Bool(c, &w.drill, "drill", "don't make a backup; test whether one can be restored, into a temporary database and vault")
	commandline.Text(c, &w.key, "key", "KEY", "the backup to test; by default the newest full one")
	commandline.Bool(c, &w.json, "json", "print the job as JSON")
	commandline.Bool(c, &w.sheet, "sheet", "print a page to keep with the password instead: where the backups are, and how to "+
		"restore them. The server can keep running")
	w.at = placed(c)
	return c
}

// run does what the flags say; typed: --type is one of them.
func (w *backupFlags) run(ctx context.Context, typed bool, std IO) error {
	switch {
	case w.key != "" && !w.drill:
		return usagef("backup: --key works only with --drill")
	case w.drill && (w.sheet || typed):
		return usagef("backup: --drill works only with --key, not with --type or --sheet")
	}
	cfg, err := w.at.settings(config.Serve, std)
	if err != nil {
		return err
	}
	if w.sheet {
		return printSheet(ctx, cfg, std.Stdout)
	}
	want := app.BackupRequest{Type: backup.Type(w.kind), Drill: w.drill, Key: w.key, Progress: progressTo(std.Stderr)}
	job, err := app.Backup(ctx, cfg, want)
	if err != nil {
		if f, ok := fault.As(err); ok {
			return fmt.Errorf("backup: %s", f.Detail)
		}
		return fmt.Errorf("backup: %w", err)
	}
	for _, warning := range job.Warnings {
		fmt.Fprintln(std.Stderr, "warning:", warning.Text)
	}
	how := "It was read back"
	if w.drill {
		how = "It restores"
	}
	fmt.Fprintf(std.Stderr, "%s (%d bytes). %s\n", how, job.SizeBytes, backup.Counted(job.Details))
	if w.json {
		return json.NewEncoder(std.Stdout).Encode(map[string]any{
			"job_id": job.ID, "type": job.Type, "status": job.Status, "outcome": job.Outcome, "key": job.Key, "size_bytes": job.SizeBytes,
			"details": backup.Counted(job.Details), "warnings": fault.Texts(job.Warnings), "created_at": job.CreatedAt.UTC(),
			"started_at": job.StartedAt, "finished_at": job.FinishedAt,
		})
	}
	_, err = fmt.Fprintln(std.Stdout, job.Key)
	return err
}

var sheet = template.Must(template.New("").Parse("KEYWARD RECOVERY SHEET                                     " +
	"{{.Printed}}\n\nPrint this page, write the password on it, and keep it where neither fire nor\nthieves can " +
	"get it together with the backups. Nobody can open a backup without\nits password, and nobody can recover " +
	"the password.\n\nSite           {{.Site}}\nBackups are at {{.Location}}\nFile names     " +
	"{{.Prefix}}backup-<type>-<YYYYMMDD>-<HHMMSS>.enc\n{{if .AccessKeyID}}Access key     {{.AccessKeyID}} (you " +
	"also need its secret, or another key for the bucket)\n{{end}}\nEncryption password, valid from " +
	"_______________ :\n\n\n   ____________________________________________________________________\n\n\nAn older " +
	"backup opens with the password that was set at the time:\n\n\n   until _____________  " +
	"________________________________________________\n\n\n   until _____________  " +
	"________________________________________________\n\n\nYou need: the newest file whose type is full, this " +
	"password, and the keyward\nprogram, in the version that created the backup or a later one. On a new " +
	"server,\nwith an empty directory:\n\n    keyward restore FILE --data DIR\n\nThe file format is documented in " +
	"docs/backup-format.md.\n"))

// printSheet prints the sheet, which holds no secret.
func printSheet(ctx context.Context, cfg config.Config, w io.Writer) error {
	set, location, err := app.BackupPlace(ctx, cfg)
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	about := map[string]string{
		"Printed": time.Now().UTC().Format(time.DateOnly), "Site": cfg.SiteURL, "Location": location, "Prefix": set.Prefix, "AccessKeyID": "",
	}
	if about["Site"] == "" {
		about["Site"] = "_______________________________"
	}
	if set.Store == backup.Bucket {
		about["AccessKeyID"] = set.AccessKeyID
	}
	return sheet.Execute(w, about)
}
