package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/keyward/keyward/internal/backup/vaultpart"
	"github.com/keyward/keyward/internal/store/storebench"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/internal/vault/remote"
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
	means

	plain *engines // a database with all of the data, secrets in the clear
}

// means are the database's programs.
type means struct {
	dumps, loads string // how, in a word
	write, read  string // the scripts: $1 is the database, $2 the file
}

const (
	encrypt = ` | gzip | openssl enc -aes-256-ctr -pbkdf2 -pass pass:benchmark -out "$2"`
	decrypt = `openssl enc -d -aes-256-ctr -pbkdf2 -pass pass:benchmark -in "$2" | gunzip | `
)

var (
	meansOfSQLite = means{
		"sqlite3 .dump | gzip | openssl enc", "openssl enc -d | gunzip | sqlite3", `sqlite3 "$1" .dump` + encrypt, decrypt + `sqlite3 "$1"`,
	}
	meansOfPostgres = means{
		"pg_dump | gzip | openssl enc", "openssl enc -d | gunzip | psql", `pg_dump "$1"` + encrypt,
		decrypt + `psql -q -X -v ON_ERROR_STOP=1 "$1" >"$2.log"`,
	}
)

// yardstick puts the data together. Nobody else uses the engines.
func (k *keeper) yardstick(ctx context.Context) (y *yardstick, err error) {
	documents, err := k.reopen(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, documents.Close()) }()
	all := func(add func(path, data string) error) error {
		_, err := vaultpart.Read(ctx, documents, func(path string, data vault.Data) error { return add(path, string(data)) })
		return err
	}
	if k.on.postgres {
		y = &yardstick{keeper: k, means: meansOfPostgres, plain: &engines{}}
		if err := y.plain.database(ctx, k.world.url); err != nil {
			return nil, err
		}
		return y, storebench.AddDocumentsPostgres(ctx, y.plain.url, all)
	}
	file := filepath.Join(k.copies, "plain.db")
	y = &yardstick{keeper: k, means: meansOfSQLite, plain: &engines{file: file, remove: func(context.Context) error { return k.remove(file) }}}
	if err := copyFile(k.world.file, file); err != nil { // it was closed in good order
		return nil, err
	}
	return y, storebench.AddDocuments(ctx, file, all)
}

// reopen opens the world's vault.
func (k *keeper) reopen(ctx context.Context) (interface {
	vaultpart.Source
	Close() error
}, error) {
	if k.on.vault {
		return remote.Open(ctx, *k.world.options)
	}
	return embedded.Open(ctx, embedded.Options{
		Path: filepath.Join(k.world.data, "vault.db"), Seal: embedded.FileSeal(filepath.Join(k.world.data, "seal.key")), PublicBase: siteURL,
	})
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

// where is what the scripts call a database.
func (e *engines) where() string { return cmp.Or(e.url, e.file) }

// dump writes the file.
func (y *yardstick) dump(ctx context.Context) (command, error) {
	c, err := y.script(ctx, y.write, y.plain)
	return c.sized(y.file()), err
}

// load reads it into a new database.
func (y *yardstick) load(ctx context.Context) (c command, err error) {
	target := &engines{file: filepath.Join(y.copies, "loaded.db")}
	target.remove = func(context.Context) error { return y.bench.remove(target.file) }
	if y.on.postgres {
		if err := target.database(ctx, ""); err != nil {
			return c, err
		}
	}
	defer func() { err = errors.Join(err, target.remove(ctx)) }()
	return y.script(ctx, y.read, target)
}

func (y *yardstick) script(ctx context.Context, text string, on *engines) (command, error) {
	return y.execute(ctx, nil, "", &strings.Builder{}, "bash", "-e", "-o", "pipefail", "-c", text, "bash", on.where(), y.file())
}
