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

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/store/storebench"
	"github.com/keyward/keyward/internal/vault"
)

// backingUp measures `keyward backup` and `keyward restore` onto a bare machine, each
// in its own process, and how long requests wait while a server creates a backup.
func backingUp(ctx context.Context, b *bench) error {
	sizes := []int{100_000, 1_000_000}
	if b.quick {
		sizes = []int{1000}
	}
	for _, size := range sizes {
		if err := b.backups(ctx, size, size == sizes[len(sizes)-1]); err != nil {
			return err
		}
	}
	return nil
}

// backups measures with size audit entries, and a tenth as many tokens.
func (b *bench) backups(ctx context.Context, size int, withServer bool) (err error) {
	f := fill{name: fmt.Sprint("backup-", size), caKey: piv.RSA3072, rows: storebench.Size{
		Organizations: 10, Users: max(10, size/100), Devices: size / 10, Certificates: size / 10, Sessions: 1, Audit: size,
	}}
	k := &keeper{bench: b, size: size, folder: filepath.Join(b.temp, "backups")}
	if err := os.MkdirAll(k.folder, 0o700); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.remove(k.folder)) }()
	prepare := func(w *world) error {
		if err := k.documents(ctx, w); err != nil {
			return err
		}
		if err := storebench.Vary(ctx, w.file); err != nil { // before its signatures
			return err
		}
		return w.seal(ctx)
	}
	env := []string{"BACKUP_DIRECTORY=" + k.folder}
	return b.serving(ctx, f, env, prepare, func(w *world, p *process) error {
		k.world, k.env = w, env
		if err := p.do(ctx, "PUT", "/api/backup/settings", w.admin, `{"encryption_password":"`+passphrase+`"}`, io.Discard); err != nil {
			return err
		}
		if withServer {
			if err := k.beside(ctx, p); err != nil {
				return err
			}
		}
		if err := p.stop(); err != nil { // only one program can open the embedded vault
			return err
		}
		p.done <- nil // its end is already known
		return k.measure(ctx)
	})
}

// passphrase encrypts the backups of the run.
const passphrase = "correct horse battery"

// keeper creates backups of a world, and restores them.
type keeper struct {
	*bench

	world  *world
	size   int
	env    []string // the programs' environment
	folder string   // the backups' folder
}

// measure creates and restores backups.
func (k *keeper) measure(ctx context.Context) error {
	rounds := k.rounds()
	if k.size >= 1_000_000 {
		rounds = 1 // it takes long enough
	}
	var made, restored command
	for range rounds {
		key, c, err := k.backup(ctx)
		if err != nil {
			return err
		}
		file := filepath.Join(k.folder, filepath.FromSlash(key))
		made = made.add(c.sized(file))
		if c, err = k.restore(ctx, file); err != nil {
			return err
		}
		restored = restored.add(c)
	}
	what := fmt.Sprintf("%d audit entries, %d tokens", k.size, k.size/10)
	k.row("backup of "+what, made, rounds)
	k.row("restore of "+what, restored, rounds)
	k.memoryRow("memory of that backup", made, made.bytes)
	k.memoryRow("memory of that restore", restored, made.bytes)
	return nil
}

// row adds a row about a time.
func (k *keeper) row(name string, c command, rounds int) {
	text := fmt.Sprintf("%s, %s CPU", brief(c.took/time.Duration(rounds)), brief(c.cpu/time.Duration(rounds)))
	if c.bytes > 0 {
		text += fmt.Sprintf(", %.1f MB", float64(c.bytes)/1e6)
	}
	k.out.durations(name, text, "", "", none, "a process")
}

// memoryRow adds a row about a process's peak memory: Argon2id's 64 MiB, the program,
// and what the contract allows besides them, twice the compressed size.
func (k *keeper) memoryRow(name string, c command, size int64) {
	const mega = 1e6
	most := int64(128*mega) + 2*size
	k.out.durations(fmt.Sprintf("%s, %d entries", name, k.size), fmt.Sprintf("peak %.0f MB", float64(c.peak)/mega), "", "",
		aim{fmt.Sprintf("< %.0f MB", float64(most)/mega), c.peak < most}, "/proc/PID/status")
}

// backup creates a backup and returns its key.
func (k *keeper) backup(ctx context.Context) (key string, c command, err error) {
	var out strings.Builder
	c, err = k.execute(ctx, k.env, "", &out, filepath.Join(k.bin, "keyward"), "backup", "--data", k.world.data)
	return strings.TrimSpace(out.String()), c, err
}

// restore restores onto an empty machine, and then removes it.
func (k *keeper) restore(ctx context.Context, file string) (c command, err error) {
	machine := filepath.Join(k.temp, "bare")
	defer func() { err = errors.Join(err, k.remove(machine)) }()
	return k.execute(ctx, k.env, passphrase+"\n", nil, filepath.Join(k.bin, "keyward"), "restore", file, "--data", machine)
}

// documents stores the secrets of all tokens in the vault, in package hwkey's form.
func (k *keeper) documents(ctx context.Context, w *world) error {
	now := time.Now().UTC().Format(time.RFC3339)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(256)
	for n := range w.rows.Devices {
		group.Go(func() error {
			var r [40]byte
			_, _ = rand.Read(r[:]) // never fails
			data := fmt.Sprintf(`{"pin":{"current":"%08d"},"puk":{"current":"%08d"},"management_key":{"current":"%x"},`+
				`"last_rotation_id":0,"changed_at":"%s","for":%d,"counter":1}`, int(r[0])<<16|int(r[1])<<8|int(r[2]), int(r[3])<<16|int(r[4])<<8|int(r[5]),
				r[16:], now, n%w.rows.Users+1)
			_, err := w.vault.Put(ctx, fmt.Sprintf("bench-%08d/secrets", n+1), vault.Data(data), 0)
			return err
		})
	}
	return group.Wait()
}
