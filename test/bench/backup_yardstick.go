package main

import (
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
	return y, storebench.AddDocuments(ctx, y.plain, func(add func(path, data string) error) error {
		_, err := vaultpart.Read(ctx, engine, func(path string, data vault.Data) error { return add(path, string(data)) })
		return err
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
