package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"text/template"
	"time"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/fault"
)

const backupHelp = `Usage: keyward backup [--type full|database|vault] [--json] [--data DIR] [--config FILE]
       keyward backup --drill [--key KEY] [--json] [--data DIR] [--config FILE]
       keyward backup --sheet [--data DIR] [--config FILE]

Makes one encrypted backup, using the place and password in the backup settings
(page Backups, or PUT /api/backup/settings), reads it back and compares it.
Exits with code 0 if the backup is there and verified, otherwise with 1: then
nothing is left of it, or the message names what could not be deleted.
Progress goes to standard error, the backup's key to standard output.

  --type TYPE    what to back up: full (default), database or vault
  --drill        don't make a backup; test whether one can be restored, into a
                 temporary database and vault
  --key KEY      the backup to test. Default: the newest full one
  --json         print the job as JSON
  --sheet        print a page to keep with the password instead: where the backups
                 are, and how to restore them. The server can keep running
  --data DIR     the server's data directory (DATA, default "data")
  --config FILE  the server's settings file (KEYWARD_CONFIG)

The audit log records it. Run it as the same user as the server. Only one
program can open the embedded vault: while its server runs, use the page or the
API instead. With PostgreSQL and a Vault of your own, servers can keep
running.
`

// backupCommand is "keyward backup".
func backupCommand(ctx context.Context, args []string, std IO) error {
	fs := flag.NewFlagSet("backup", flag.ContinueOnError)
	data, file := fs.String("data", "", ""), fs.String("config", "", "")
	drill, key := fs.Bool("drill", false, ""), fs.String("key", "", "")
	kind, asJSON, sheet := fs.String("type", "full", ""), fs.Bool("json", false, ""), fs.Bool("sheet", false, "")
	if done, err := parse(fs, args, backupHelp, std); done || err != nil {
		return err
	}
	switch backup.Type(*kind) {
	case archive.Full, archive.Database, archive.Vault:
	default:
		return usagef("backup: --type takes full, database or vault")
	}
	others := *sheet
	fs.Visit(func(f *flag.Flag) { others = others || f.Name == "type" })
	switch {
	case *key != "" && !*drill:
		return usagef("backup: --key works only with --drill")
	case *drill && others:
		return usagef("backup: --drill works only with --key, not with --type or --sheet")
	}
	cfg, err := settingsOf(config.Serve, *data, *file, std)
	if err != nil {
		return err
	}
	if *sheet {
		return printSheet(ctx, cfg, std.Stdout)
	}
	job, err := app.Backup(ctx, cfg, app.BackupRequest{Type: backup.Type(*kind), Drill: *drill, Key: *key, Progress: progressTo(std.Stderr)})
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
	if *drill {
		how = "It restores"
	}
	fmt.Fprintf(std.Stderr, "%s: %s, %d bytes.\n", how, backup.Counted(job.Details), job.SizeBytes)
	if *asJSON {
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
