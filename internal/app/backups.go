package app

import (
	"context"
	"crypto/x509"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/backup/vaultpart"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/objstore/dir"
	"github.com/keyward/keyward/internal/objstore/s3"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/textinput"
	"github.com/keyward/keyward/internal/vault"
)

// backupFolder is the directory store inside the data directory.
const backupFolder = "backups"

func newBackups(cfg config.Config, e *engines, s *services, kept vault.KV, log *slog.Logger, now func() time.Time) *backup.Service {
	directory := backupDirectory(cfg)
	return &backup.Service{
		Rows: e.store, Audit: e.store, Vault: kept, Database: e.store, Source: e.vault.(vaultpart.Source), // both engines are one
		OpenStore: openBackupStore(cfg, log), Sealed: s.sealer.Status, Completed: completedBackups(e.store),
		Job: e.store.BackupJob, Admitted: e.store.Admitted,
		Account:   func(ctx context.Context, id int64) (account.User, error) { return e.store.User(ctx, access.All(), id) },
		Directory: directory, SiteURL: cfg.SiteURL,
		Temporary: absolute(cfg.Data), Log: log, Now: now,
	}
}

// absolute returns path unchanged if the working directory is unknown.
func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// openBackupStore opens the store named in the settings.
func openBackupStore(cfg config.Config, log *slog.Logger) backup.OpenStore {
	directory := backupDirectory(cfg)
	return func(set backup.Settings, secretKey secret.String) (objstore.Store, error) {
		if set.Store != backup.Bucket {
			return opened(dir.New(dir.Options{Path: directory, Prefix: set.Prefix}))
		}
		roots, err := storeRoots(cfg)
		if err != nil {
			return nil, fault.New(fault.StorageUnavailable, "s3_ca_file", "The file in S3_CA_FILE can't be read, or has no "+
				"certificate in PEM format. Correct the setting or the file.").With(err)
		}
		return opened(s3.New(s3.Options{
			Endpoint: set.Endpoint, Region: set.Region, Bucket: set.Bucket, Prefix: set.Prefix, AccessKeyID: set.AccessKeyID,
			SecretKey: secretKey, PathStyle: set.PathStyle, InsecureTLS: set.InsecureTLS, Roots: roots,
			Lock:       s3.Lock{Mode: set.LockMode, Days: set.LockDays},
			Encryption: s3.Encryption{Algorithm: set.Encryption, KMSKeyID: set.KMSKeyID},
			Logger:     log,
		}))
	}
}

// storeRoots returns the system's CAs and the current ones of S3_CA_FILE; nil means
// only the system's.
func storeRoots(cfg config.Config) (*x509.CertPool, error) {
	if cfg.S3CAFile == "" {
		return nil, nil //nolint:nilnil // as tls.Config has it
	}
	roots, err := textinput.MoreRoots(cfg.S3CAFile)
	if err != nil {
		return nil, fmt.Errorf("S3_CA_FILE: %w", err)
	}
	return roots, nil
}

// opened returns a nil interface on an error: a nil *dir.Store in one would not be nil.
func opened[S objstore.Store](s S, err error) (objstore.Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// completedLooked is how many of the latest jobs decide which backups to keep.
const completedLooked = 100

func completedBackups(jobs backup.Store) func(context.Context) ([]string, error) {
	return func(ctx context.Context) ([]string, error) {
		list, err := jobs.ListJobs(ctx, backup.Filter{Kind: backup.Backup, Status: backup.Completed}, page.Request{Limit: completedLooked})
		var keys []string
		for _, j := range list.Items {
			keys = append(keys, j.Key)
		}
		return keys, err
	}
}
