package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/keyward/keyward/internal/backup/vaultpart"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
)

// documents puts the secrets of all tokens into the vault, in the form of package hwkey.
func (k *keeper) documents(ctx context.Context, w *world) error {
	now := time.Now().UTC().Format(time.RFC3339)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(256)
	for n := range w.rows.Devices {
		group.Go(func() error {
			var r [40]byte
			_, _ = rand.Read(r[:]) // never fails
			data := fmt.Sprintf(`{"pin":{"current":"%08d"},"puk":{"current":"%08d"},"management_key":{"current":"%x"},`+
				`"last_rotation_id":0,"changed_at":"%s","for":%d}`, int(r[0])<<16|int(r[1])<<8|int(r[2]), int(r[3])<<16|int(r[4])<<8|int(r[5]),
				r[16:], now, n%w.rows.Users+1)
			_, err := w.vault.Put(ctx, fmt.Sprintf("bench-%08d/secrets", n+1), vault.Data(data), 0)
			return err
		})
	}
	return group.Wait()
}

// yardstick is what an administrator would type: the database's own program to write it
// as SQL, gzip and openssl, and back. It derives a key, too, and has neither tag nor
// proof that the file can be read.
type yardstick struct {
	*keeper

	dumps, loads string // how
	plain        string // the file of SQLite with all of the data, secrets in the clear
}

const (
	dumpScript = `sqlite3 "$1" .dump | gzip | openssl enc -aes-256-ctr -pbkdf2 -pass pass:benchmark -out "$2"`
	loadScript = `openssl enc -d -aes-256-ctr -pbkdf2 -pass pass:benchmark -in "$2" | gunzip | sqlite3 "$1"`
)

// yardstick puts the data together.
func (k *keeper) yardstick(ctx context.Context) (y *yardstick, err error) {
	y = &yardstick{keeper: k, dumps: "sqlite3 .dump | gzip | openssl enc", loads: "openssl enc -d | gunzip | sqlite3"}
	y.plain = filepath.Join(k.copies, "plain.db")
	engine, err := embedded.Open(ctx, embedded.Options{
		Path: filepath.Join(k.world.data, "vault.db"), Seal: embedded.FileSeal(filepath.Join(k.world.data, "seal.key")), PublicBase: siteURL,
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	if err := copyFile(k.world.file, y.plain); err != nil { // it was closed in good order
		return nil, err
	}
	db, err := sql.Open("sqlite", "file:"+y.plain+"?_pragma=synchronous(OFF)")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return y, secretsInto(ctx, db, engine)
}

// secretsInto writes the vault's documents into a table.
func secretsInto(ctx context.Context, db *sql.DB, from vaultpart.Source) (err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing, after the commit
	if _, err := tx.ExecContext(ctx, "CREATE TABLE vault_documents (path TEXT PRIMARY KEY, data TEXT NOT NULL)"); err != nil {
		return err
	}
	_, err = vaultpart.Read(ctx, from, func(path string, data vault.Data) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO vault_documents VALUES ($1, $2)", path, string(data))
		return err
	})
	if err != nil {
		return err
	}
	return tx.Commit()
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

func (y *yardstick) file() string { return filepath.Join(y.copies, "dump.enc") }

// dump writes the file.
func (y *yardstick) dump(ctx context.Context) (command, error) {
	c, err := y.script(ctx, dumpScript, y.plain)
	return c.sized(y.file()), err
}

// load reads it into a new database.
func (y *yardstick) load(ctx context.Context) (c command, err error) {
	target := filepath.Join(y.copies, "loaded.db")
	defer func() { err = errors.Join(err, y.remove(target)) }()
	return y.script(ctx, loadScript, target)
}

func (y *yardstick) script(ctx context.Context, text, target string) (command, error) {
	return y.execute(ctx, nil, "", &strings.Builder{}, "bash", "-e", "-o", "pipefail", "-c", text, "bash", target, y.file())
}

// varied gives rows what a packer cannot guess, as real ones have: certificates of 1,200
// characters, hashes, numbers of requests.
func (k *keeper) varied(ctx context.Context, w *world) (err error) {
	db, err := sql.Open("sqlite", "file:"+w.file+"?_pragma=synchronous(OFF)&_pragma=cache_size(-262144)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, statement := range []string{
		"UPDATE certificates SET der = lower(hex(randomblob(600))), csr_sha256 = lower(hex(randomblob(32))), " +
			"public_key_sha256 = lower(hex(randomblob(32)))",
		"UPDATE audit_entries SET request_id = lower(hex(randomblob(13))), details = 'ticket ' || abs(random() % 100000) || ', fields pin'",
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
