package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/backup/sqldump"
	"github.com/keyward/keyward/internal/backup/vaultpart"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/vault"
)

// loaded is a backup that was checked completely and can be used.
type loaded struct {
	archive  *archive.Archive
	file     *os.File // encrypted
	read     *reading
	folder   *folder
	scratch  Scratch           // nil: no database
	rows     map[string]int64  // in the dump, by table
	migrated bool              // the scratch database has a newer schema than the dump
	survey   *vaultpart.Survey // nil: no secrets
	log      func(err error)
}

// close removes everything.
func (l *loaded) close() {
	var err error
	if l.scratch != nil {
		err = l.scratch.Close()
	}
	if l.folder != nil {
		err = errors.Join(err, l.folder.remove())
	}
	if err = errors.Join(err, l.file.Close()); err != nil {
		l.log(err)
	}
}

func (l *loaded) totalRows() (n int64) {
	for _, rows := range l.rows {
		n += rows
	}
	return n
}

func (r *Restorer) fetchAndLoad(ctx context.Context, q Restoration, p *Progress) (*loaded, error) {
	file, size, err := r.fetch(ctx, q, p)
	if err != nil {
		return nil, err
	}
	return r.load(ctx, file, size, q, p)
}

// fetch opens a local file, or copies the object into one.
func (r *Restorer) fetch(ctx context.Context, q Restoration, p *Progress) (*os.File, int64, error) {
	if q.Path != "" {
		return openBackup(q.Path)
	}
	store, _, o, err := r.Backups.listed(ctx, q.Key)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = store.Close() }() // nothing was written
	if err := r.room(o.Size); err != nil {
		return nil, 0, err
	}
	file, err := r.Backups.temporary()
	if err != nil {
		return nil, 0, local(err)
	}
	p.Phase("download", o.Size)
	size, err := fetch(ctx, store, q.Key, file, o.Size, p)
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, size, nil
}

func openBackup(path string) (*os.File, int64, error) {
	file, err := os.Open(path) // #nosec G304 -- whoever restores names it
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file: give the path of the backup file", path)
	}
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}

// load checks the whole file, and creates a scratch database from it. The result
// owns the file; on error it is closed.
func (r *Restorer) load(ctx context.Context, file *os.File, size int64, q Restoration, p *Progress) (l *loaded, err error) {
	l = &loaded{file: file, read: &reading{file: file, p: p}, log: func(err error) {
		r.Log.ErrorContext(ctx, "could not remove everything a restore put beside the database; the next server start will",
			"folder", r.Folder, "error", err)
	}}
	defer func() {
		if err != nil {
			l.close()
			l = nil
		}
	}()
	p.Phase("check", checkReads*size)
	if l.archive, err = archive.Open(ctx, l.read, size, q.Password); err != nil {
		return l, err
	}
	judge := restore.Judge{CreatedAt: l.archive.Header.CreatedAt, AnyTime: q.AcceptClock}
	if err := judge.Clock(r.Now()); err != nil {
		return l, err
	}
	if err := r.room(r.needs(l.archive)); err != nil {
		return l, err
	}
	use := archive.Use{}
	if l.archive.Header.IncludesDB {
		if l.folder, err = r.scratchFolder(); err != nil {
			return l, local(err)
		}
		use.Database = func(sql io.Reader) error { return local(unusable(l.loadDatabase(ctx, r.Load, sql, judge))) }
	}
	if l.archive.Header.IncludesKV {
		l.survey = &vaultpart.Survey{Judge: judge}
		use.Secret = l.look
	}
	if err := l.archive.Read(ctx, use); err != nil {
		return l, err
	}
	l.read.p = nil
	if err := l.whole(ctx); err != nil || q.Published == nil {
		return l, err
	}
	if l.survey == nil {
		return l, errListAlone
	}
	return l, l.survey.Publish(q.Published)
}

// whole checks that the backup consistently names its installation, and has what a
// restore cannot recreate.
func (l *loaded) whole(ctx context.Context) error {
	if l.survey != nil {
		if err := l.survey.Whole(); err != nil {
			return err
		}
	}
	if l.scratch == nil {
		return nil
	}
	id, err := l.number(ctx)
	switch {
	case err != nil:
		return err
	case id == "":
		return restore.Unfit(fault.Say("judged_nobody", "Its database doesn't say which installation it is of."))
	case l.survey != nil && l.survey.Installation() != id:
		return restore.Unfit(fault.Say("judged_halves", "Its database and its vault documents are of different installations."))
	case l.survey == nil:
		return nil
	}
	last, err := l.scratch.LastAuditBatch(ctx)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err == nil && !l.survey.Seals(last) {
		err = restore.Unfit(fault.Say("judged_seals", "Its audit log is sealed with a key that its vault documents don't name."))
	}
	return err
}

// checkReads is how often the check reads a file: twice to open it, once to load it.
const checkReads = 3

func (l *loaded) loadDatabase(ctx context.Context, load Load, sql io.Reader, judge restore.Judge) error {
	from, err := sqldump.NewReader(sql)
	if err != nil {
		return err
	}
	l.scratch, l.migrated, err = load(ctx, l.folder.file("backup.db"), from, judge)
	l.rows = from.Tables()
	return err
}

// unusable explains that a backup is intact but cannot be restored by this program.
func unusable(err error) error {
	switch {
	case errors.Is(err, sqldump.ErrNewer):
		return archive.Newer(err)
	case errors.Is(err, sqldump.ErrNotADump), errors.Is(err, sqldump.ErrTruncated), errors.Is(err, sqldump.ErrUnfit):
		return fault.Newf(fault.BackupCorrupt, "database", "The backup opens, but its database can't be restored: {why}. Use another backup.",
			fault.Params{"why": err.Error()}).With(err)
	}
	return err
}

// look checks a document of the vault.
func (l *loaded) look(path string, data vault.Data) error {
	err := l.survey.Look(path, data)
	if err != nil && !fault.Is(err, fault.BackupCorrupt) {
		return fault.New(fault.BackupCorrupt, "secrets", "The backup opens, but this program can't restore a "+
			"vault document in it. Use another backup, and report this one.").With(err)
	}
	return err
}

// needs returns the disk space for a backup: the scratch database with its indexes,
// and if the live one is on the same disk, as much again and its log.
func (r *Restorer) needs(a *archive.Archive) int64 {
	if !a.Header.IncludesDB {
		return 0
	}
	const scratch, living = 2, 3
	if r.Beside {
		return (scratch + living) * a.DatabaseBytes
	}
	return scratch * a.DatabaseBytes
}

// room refuses what does not fit on the disk.
func (r *Restorer) room(needed int64) error {
	free, known, err := r.Free()
	if err != nil || !known || free >= needed {
		return local(err)
	}
	return fault.Newf(fault.StorageUnavailable, "restore_disk_full", "The server's data directory has {free} MB "+
		"free, and the restore needs {needed} MB there. Free some space, then try again. Nothing was changed.",
		fault.Params{"free": free >> 20, "needed": needed>>20 + 1})
}

// reading adds what is read of a file to the progress.
type reading struct {
	file io.ReaderAt
	p    *Progress
}

// ReadAt implements io.ReaderAt.
func (r *reading) ReadAt(b []byte, at int64) (int, error) {
	n, err := r.file.ReadAt(b, at)
	r.p.Add(int64(n))
	return n, err
}

func typeOf(prefix, key string) Type {
	name, _ := objstore.ParseName(prefix, key)
	return Type(name.Type)
}
