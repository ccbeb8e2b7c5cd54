package backup

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/backup/vaultpart"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/vault"
)

// ErrNotConfigured means that no encryption password is set.
var ErrNotConfigured = fault.New(fault.BackupNotConfigured, "",
	"Keyward can't create backups without an encryption password. Set one in the backup settings.")

// Ready returns ErrNotConfigured if no backup can be made.
func (s *Service) Ready(ctx context.Context) error {
	_, _, err := s.ready(ctx)
	return err
}

func (s *Service) ready(ctx context.Context) (Settings, archive.Password, error) {
	set, err := s.Settings(ctx)
	if err != nil {
		return set, archive.Password{}, err
	}
	text, err := s.password(ctx, set)
	switch {
	case err != nil:
		return set, archive.Password{}, err
	case text.Empty():
		return set, archive.Password{}, ErrNotConfigured
	}
	return set, archive.TypedPassword(text), nil
}

// Making is the work of a backup: without an error, the backup is stored and was
// read back. Otherwise nothing is left of it, unless the error says so.
func (s *Service) Making(t Type) Work {
	return func(ctx context.Context, p *Progress) (Result, error) {
		set, password, err := s.ready(ctx)
		if err != nil {
			return Result{}, err
		}
		store, err := s.open(ctx, set)
		if err != nil {
			return Result{}, err
		}
		defer end(store)
		at, err := s.moment(ctx, store, t)
		if err != nil {
			return Result{}, err
		}
		file, err := s.temporary()
		if err != nil {
			return Result{}, local(err)
		}
		defer file.Close()
		m := making{Service: s, p: p, store: store, file: file, password: password, header: archive.NewHeader(t, at, set.IncludeAuditLogs)}
		return m.run(ctx, set)
	}
}

// moment returns the time for a backup name that is not in use: another backup of
// the same second delays it.
func (s *Service) moment(ctx context.Context, store objstore.Store, t Type) (time.Time, error) {
	const tries = 5
	for n := 1; ; n++ {
		at := s.Now().UTC().Truncate(time.Second)
		_, err := store.Stat(ctx, objstore.Name{Type: string(t), At: at}.Key(store.Prefix()))
		switch {
		case errors.Is(err, objstore.ErrNotFound):
			return at, nil
		case err != nil:
			return at, err
		case n == tries:
			return at, objstore.Exists(nil)
		}
		select {
		case <-ctx.Done():
			return at, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// making is a backup in progress.
type making struct {
	*Service

	p        *Progress
	store    objstore.Store
	file     *os.File // unnamed; its content is encrypted
	password archive.Password
	header   archive.Header
	wrote    counts
}

// counts counts the contents of a backup.
type counts struct {
	rows    map[string]int64 // by table
	secrets int64
}

func (m *making) run(ctx context.Context, set Settings) (Result, error) {
	written, err := m.write(ctx)
	if err != nil {
		return Result{}, local(err)
	}
	key := objstore.Name{Type: string(m.header.Type), At: m.header.CreatedAt}.Key(m.store.Prefix())
	if err := m.announce(ctx, key); err != nil {
		return Result{}, err
	}
	m.p.Phase("upload", written.FileBytes)
	err = m.upload(ctx, key, written.FileBytes)
	if errors.Is(err, objstore.ErrExists) { // the object is not this job's
		err = errors.Join(err, m.withdraw(ctx, key))
	}
	if err != nil {
		return Result{}, err
	}
	if err := m.verify(ctx, key, written); err != nil {
		return Result{}, m.discard(ctx, key, err)
	}
	done := Result{Outcome: OK, Key: key, SizeBytes: written.FileBytes, Details: []fault.Sentence{m.wrote.sentence()}}
	m.after(ctx, set, &done)
	return done, nil
}

// write writes the backup to the file.
func (m *making) write(ctx context.Context) (archive.Contents, error) {
	w, err := archive.Create(m.file, m.password, m.header)
	if err != nil {
		return archive.Contents{}, err
	}
	if m.header.IncludesDB {
		m.p.Phase("dump", 0)
		wanted := func(table string) bool { return included(table, m.header.IncludesAudit) }
		if m.wrote.rows, err = m.Database.Dump(ctx, counted{w.Database(), m.p}, wanted); err != nil {
			return archive.Contents{}, err
		}
	}
	if m.header.IncludesKV {
		m.p.Phase("vault", 0)
		read, err := vaultpart.Read(ctx, m.Source, func(path string, data vault.Data) error {
			m.p.Add(1)
			return w.Secret(path, data)
		})
		if err != nil {
			return archive.Contents{}, vault.Fault(err)
		}
		m.wrote.secrets = read.Documents
	}
	return w.Close()
}

// upload sends the file. If the answer was lost, it asks the store whether it is there.
func (m *making) upload(ctx context.Context, key string, size int64) error {
	_, err := m.store.Put(ctx, key, io.TeeReader(io.NewSectionReader(m.file, 0, size), counted{io.Discard, m.p}))
	if errors.Is(err, objstore.ErrLeft) {
		return m.discard(ctx, key, err)
	}
	if !errors.Is(err, objstore.ErrUnsure) {
		return err
	}
	if _, gone := m.store.Stat(ctx, key); gone != nil {
		return m.discard(ctx, key, err)
	}
	return nil // verify reads all of it
}

// patience limits the time for removing what must not stay.
const patience = time.Minute

// discard removes an object that was not proven to be a backup, even if the job was
// cancelled, and returns the error.
func (m *making) discard(ctx context.Context, key string, why error) error {
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer end()
	err := m.store.Delete(ctx, key)
	if err == nil {
		return why
	}
	m.Log.WarnContext(ctx, "could not delete what a failed backup left in the store", "key", key, "error", err)
	if errors.Is(err, objstore.ErrLocked) {
		return fault.Newf(fault.StorageUnavailable, "backup_left_locked", "{why} The file {key} is locked in the backup "+
			"store and stays there. It was not verified, so it is not listed. Keyward deletes it when its lock has ended and "+
			"it is older than retention_days.", fault.Params{"why": saidOr(why, itFailed), "key": key}).With(why)
	}
	return leftBehind(key, why)
}

var itFailed = fault.Say("failed", "It failed.")

// leftBehind reports an object that could not be deleted.
func leftBehind(key string, why error) error {
	return fault.Newf(fault.StorageUnavailable, "backup_left_behind", "{why} The file {key} may still be in the "+
		"backup store. Delete it: it was not verified.", fault.Params{"why": saidOr(why, itFailed), "key": key}).With(why)
}

// counted adds what is written to the progress.
type counted struct {
	w io.Writer
	p *Progress
}

// Write implements io.Writer.
func (c counted) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.p.Add(int64(n))
	return n, err
}

// sentence describes the counts for people.
func (c counts) sentence() fault.Sentence {
	rows := int64(0)
	for _, n := range c.rows {
		rows += n
	}
	return fault.Sayf("counts", "{rows} records from {tables} tables, {secrets} secrets.",
		fault.Params{"rows": rows, "tables": len(c.rows), "secrets": c.secrets})
}
