package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/store/storebench"
)

// backingUp measures `keyward backup` and `keyward restore` onto a bare machine, each a
// process of its own, in turn with what an administrator would type instead for the same
// data, vault included; and what requests wait while a server makes a backup.
func backingUp(ctx context.Context, b *bench) error {
	sizes := []int{10_000, 100_000, 1_000_000}
	switch {
	case b.quick:
		sizes = []int{1000}
	case b.on.vault: // whose storage is in memory
		sizes = sizes[:2]
	}
	for _, size := range sizes {
		if err := b.backups(ctx, size, size == sizes[len(sizes)-1]); err != nil {
			return err
		}
	}
	return nil
}

// backups measures with so many audit entries, and a tenth of that of tokens.
func (b *bench) backups(ctx context.Context, size int, withServer bool) (err error) {
	f := fill{name: fmt.Sprint("backup-", size), caKey: piv.RSA3072, rows: storebench.Size{
		Organizations: 10, Users: max(10, size/100), Devices: size / 10, Certificates: size / 10, Sessions: 1, Audit: size,
	}}
	k := &keeper{bench: b, size: size, folder: filepath.Join(b.temp, "backups"), copies: filepath.Join(b.temp, "yardstick")}
	if err := os.MkdirAll(k.copies, 0o700); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.remove(k.folder), b.remove(k.copies)) }()
	prepare := func(w *world) error {
		if err := k.documents(ctx, w); err != nil {
			return err
		}
		vary, where := storebench.Vary, w.file
		if w.url != "" {
			vary, where = storebench.VaryPostgres, w.url
		}
		if err := vary(ctx, where); err != nil { // before its signatures
			return err
		}
		return w.seal(ctx)
	}
	env := []string{"BACKUP_DIRECTORY=" + k.folder}
	return b.serving(ctx, f, env, prepare, func(w *world, p *process) error {
		k.world, k.env = w, slices.Concat(env, w.env)
		if err := p.do(ctx, "PUT", "/api/backup/settings", w.admin, `{"encryption_password":"`+passphrase+`"}`, io.Discard); err != nil {
			return err
		}
		if withServer {
			if err := k.beside(ctx, p); err != nil {
				return err
			}
		}
		if err := p.stop(); err != nil { // the embedded vault serves one program
			return err
		}
		p.done <- nil // that it has ended is known
		return k.measure(ctx)
	})
}

// passphrase encrypts the backups of the run.
const passphrase = "correct horse battery"

// keeper makes backups of a world, and restores them.
type keeper struct {
	*bench

	world  *world
	size   int
	env    []string // of the programs
	folder string   // of the backups
	copies string   // of the yardstick
}

// measure lets ours and the yardstick take turns, there and back.
func (k *keeper) measure(ctx context.Context) (err error) {
	y, err := k.yardstick(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, y.plain.remove(ctx)) }()
	rounds := k.rounds()
	if k.size >= 1_000_000 {
		rounds = 1 // it is long enough
	}
	var made, dumped, restored, loaded command
	for range rounds {
		key, c, err := k.backup(ctx)
		if err != nil {
			return err
		}
		file := filepath.Join(k.folder, filepath.FromSlash(key))
		made = made.add(c.sized(file))
		if c, err = y.dump(ctx); err != nil {
			return err
		}
		dumped = dumped.add(c)
		if c, err = k.restore(ctx, file); err != nil {
			return err
		}
		restored = restored.add(c)
		if c, err = y.load(ctx); err != nil {
			return err
		}
		loaded = loaded.add(c)
	}
	what := fmt.Sprintf("%d audit entries, %d tokens", k.size, k.size/10)
	k.row("backup of "+what, made, y.dumps, dumped, rounds)
	k.row("restore of "+what, restored, y.loads, loaded, rounds)
	k.memoryRow("memory of that backup", made, made.bytes)
	k.memoryRow("memory of that restore", restored, made.bytes)
	return nil
}

// row is about a time.
func (k *keeper) row(name string, ours command, how string, raw command, rounds int) {
	text := func(c command) string {
		s := fmt.Sprintf("%s, %s CPU", brief(c.took/time.Duration(rounds)), brief(c.cpu/time.Duration(rounds)))
		if c.behind > 0 {
			s += fmt.Sprintf(" and %s of the engines", brief(c.behind/time.Duration(rounds)))
		}
		if c.bytes > 0 {
			s += fmt.Sprintf(", %.1f MB", float64(c.bytes)/1e6)
		}
		return s
	}
	share := raw.took.Seconds() / ours.took.Seconds()
	k.out.durations(name, text(ours), text(raw)+" "+how, fmt.Sprintf("%.2f", share), atLeast(1, share, ""), "a process each")
}

// memoryRow is about the most memory that a process had: Argon2id's 64 MiB, the program,
// and what the contract leaves beside them, twice the compressed size.
func (k *keeper) memoryRow(name string, c command, size int64) {
	const mega = 1e6
	most := int64(128*mega) + 2*size
	k.out.durations(fmt.Sprintf("%s, %d entries", name, k.size), fmt.Sprintf("peak %.0f MB, %.0f MB its own", float64(c.peak)/mega,
		float64(c.own)/mega), "", "", aim{fmt.Sprintf("< %.0f MB", float64(most)/mega), c.peak < most}, "/proc/PID/status")
}

// backup makes one, and tells its name.
func (k *keeper) backup(ctx context.Context) (key string, c command, err error) {
	var out strings.Builder
	c, err = k.execute(ctx, k.env, "", &out, filepath.Join(k.bin, "keyward"), "backup", "--data", k.world.data)
	return strings.TrimSpace(out.String()), c, err
}

// restore restores onto a machine that has nothing, and forgets it.
func (k *keeper) restore(ctx context.Context, file string) (c command, err error) {
	machine := filepath.Join(k.temp, "bare")
	defer func() { err = errors.Join(err, k.remove(machine)) }()
	e, err := k.nothing(ctx, machine)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, e.remove(ctx)) }()
	env := append([]string{"BACKUP_DIRECTORY=" + k.folder}, e.env...)
	return k.execute(ctx, env, passphrase+"\n", nil, filepath.Join(k.bin, "keyward"), "restore", file, "--data", machine)
}

// nothing are engines of a machine on which there is nothing yet.
func (k *keeper) nothing(ctx context.Context, data string) (*engines, error) {
	e := &engines{remove: func(context.Context) error { return nil }}
	if k.on.vault {
		if err := os.MkdirAll(data, 0o700); err != nil {
			return nil, err
		}
		if err := k.remoteVault(ctx, e, data, piv.RSA3072); err != nil {
			return nil, err
		}
		if err := e.vault.Close(); err != nil {
			return nil, err
		}
	}
	if k.on.postgres {
		return e, e.database(ctx, "")
	}
	return e, nil
}

// execute also counts what the engines do meanwhile.
func (k *keeper) execute(
	ctx context.Context, env []string, stdin string, stdout io.Writer, name string, args ...string,
) (command, error) {
	var engines process
	if err := k.world.watch(&engines); err != nil {
		return command{}, err
	}
	spent := func() time.Duration { c := engines.cost(); return c[inPostgres] + c[inVault] }
	before := spent()
	c, err := k.bench.execute(ctx, env, stdin, stdout, name, args...)
	c.behind = spent() - before
	return c, err
}
