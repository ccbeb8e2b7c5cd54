package app

import (
	"context"
	"path/filepath"

	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/system"
)

// storage reports on what the server keeps outside of database and vault.
type storage struct {
	data      dataDirectory
	backups   *backup.StoreWatch
	directory string // of backups, if they are in one
}

// Report implements system.Storage.
func (s storage) Report(ctx context.Context) (r system.StorageReport, err error) {
	if r.Data, err = s.data.report(); err != nil {
		return r, err
	}
	r.Backup, err = s.store(ctx)
	return r, err
}

func (s storage) store(ctx context.Context) (system.BackupReport, error) {
	found, err := s.backups.Look(ctx)
	if err != nil || !found.Configured {
		return system.BackupReport{Status: system.NotConfigured}, err
	}
	at := found.At.UTC()
	r := system.BackupReport{
		Status: system.OK, Kind: string(found.Place), Location: found.Location, CheckedAt: &at,
		Detail: found.Trouble.Text, Code: found.Trouble.Code, Params: found.Trouble.Params, Errors: found.Fields,
		LatencyMS: float64(found.Latency.Microseconds()) / 1000, Backups: found.Backups,
	}
	if found.Trouble.Text != "" {
		r.Status = system.Failed
	}
	if found.Place == backup.Directory {
		r.FreeBytes, r.TotalBytes = roomAt(s.directory)
	}
	return r, nil
}

// roomAt returns what a directory's file system has left and in total, in bytes. Until
// the first backup creates the directory, it uses the nearest existing parent.
func roomAt(path string) (free, total *int64) {
	for {
		left, all, known, err := space(path)
		if err == nil && known {
			return &left, &all
		}
		above := filepath.Dir(path)
		if err == nil || above == path {
			return nil, nil
		}
		path = above
	}
}
