package backup

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/backup/sqldump"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/vault"
)

// fetch copies an object into a file and returns its size; it reads at most most+1 bytes.
func fetch(ctx context.Context, store objstore.Store, key string, into *os.File, most int64, p *Progress) (int64, error) {
	r, err := store.Open(ctx, key, 0, -1)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	n, err := io.Copy(counted{io.NewOffsetWriter(into, 0), p}, io.LimitReader(r, most+1))
	if err != nil {
		return n, local(err)
	}
	return n, nil
}

// verify reads the backup back from the store, decrypts it, and compares its
// checksum, rows by table and secrets with what was written.
func (m *making) verify(ctx context.Context, key string, written archive.Contents) error {
	m.p.Phase("verify", written.FileBytes+written.DatabaseBytes)
	if err := m.file.Truncate(0); err != nil {
		return local(err)
	}
	size, err := fetch(ctx, m.store, key, m.file, written.FileBytes, m.p)
	if err != nil {
		return err
	}
	var found counts
	use := archive.Use{}
	if m.header.IncludesDB {
		use.Database = func(sql io.Reader) (err error) {
			found.rows, err = countRows(io.TeeReader(sql, counted{io.Discard, m.p}))
			return err
		}
	}
	if m.header.IncludesKV {
		use.Secret = func(string, vault.Data) error {
			found.secrets++
			return nil
		}
	}
	a, err := archive.OpenUsing(ctx, m.file, size, m.password, use)
	switch {
	case isArchiveFault(err), errors.Is(err, sqldump.ErrNotADump), errors.Is(err, sqldump.ErrTruncated):
		return differs(err)
	case err != nil:
		return err
	case a.Header.Checksum != written.Header.Checksum || a.DatabaseBytes != written.DatabaseBytes || a.Secrets != written.Secrets:
		return differs(errors.New("another backup came back"))
	case !maps.Equal(found.rows, m.wrote.rows) || found.secrets != m.wrote.secrets:
		return fault.Newf(fault.StorageUnavailable, "backup_incomplete", "The backup was written with {written} "+
			"but read back with {found}, so it is not valid. Create another one. If that fails too, report it.",
			fault.Params{"found": found.sentence(), "written": m.wrote.sentence()})
	}
	return nil
}

// countRows counts a dump's rows by table.
func countRows(sql io.Reader) (map[string]int64, error) {
	in, err := sqldump.NewReader(sql)
	if err != nil {
		return nil, err
	}
	rows := map[string]int64{}
	for {
		row, err := in.Next()
		switch {
		case errors.Is(err, io.EOF):
			return rows, nil
		case err != nil:
			return nil, err
		}
		rows[row.Table]++
	}
}

// isArchiveFault reports whether an error means that a file is invalid.
func isArchiveFault(err error) bool {
	switch fault.CodeOf(err) {
	case fault.NotABackup, fault.BackupNewer, fault.BackupTruncated, fault.BackupCorrupt, fault.BackupPasswordWrong, fault.BackupTooLarge:
		return true
	default:
		return false
	}
}

// differs is the error if the store returned something else.
func differs(why error) error {
	return fault.New(fault.StorageUnavailable, "backup_differs", "The backup store didn't return what was "+
		"written to it, so this backup is not valid. Find out what changes files in the store or on the way to "+
		"it, then create another backup.").With(why)
}
