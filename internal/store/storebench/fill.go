// Package storebench fills a SQLite database with many rows in little time,
// for benchmarks and load runs. It writes rows as the store would, but past
// it and without durability: never use it on data that matters.
package storebench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"

	"github.com/keyward/keyward/internal/store"
)

// Size is how many rows of each kind to make. Row n of a kind belongs to
// organization n%Organizations+1 and user n%Users+1; a zero of the kind that
// it would belong to is not allowed.
type Size struct {
	Organizations int
	Users         int
	Devices       int // serial "bench-00000001" and up, status active
	Sessions      int // live for a day from Now
	Certificates  int // one in a hundred revoked; they end up to a year after Now
	Releases      int // of 50 reasons, in the days before Now, a minute apart
	Audit         int // of 20 actions, one in a hundred denied
	Now           int64
}

// Fill brings the file's schema up to date and adds the rows. The database
// must be empty and not be open.
func Fill(ctx context.Context, path string, size Size) error {
	db, err := store.OpenSQLite(ctx, path, store.Options{})
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("storebench: %w", err)
	}
	dsn := url.URL{Scheme: "file", Path: filepath.ToSlash(abs),
		RawQuery: "_pragma=synchronous(OFF)&_pragma=cache_size(-262144)&_pragma=temp_store(MEMORY)"}
	raw, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return fmt.Errorf("storebench: %w", err)
	}
	raw.SetMaxOpenConns(1)
	return errors.Join(fill(ctx, raw, size), raw.Close())
}

func fill(ctx context.Context, raw *sql.DB, size Size) error {
	for _, s := range statements(size) {
		if s.rows == 0 {
			continue
		}
		args := []any{s.rows, max(size.Organizations, 1), max(size.Users, 1), max(size.Devices, 1), size.Now}
		if _, err := raw.ExecContext(ctx, numbers+s.text, args...); err != nil {
			return fmt.Errorf("storebench: %s: %w", s.kind, err)
		}
	}
	if _, err := raw.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		return fmt.Errorf("storebench: %w", err)
	}
	return nil
}

// numbers counts from 1 to ?1 as n; ?2 organizations, ?3 users, ?4 devices,
// ?5 the time.
const numbers = `WITH RECURSIVE
k (n, organizations, users, devices, now) AS (
	SELECT 1, ?2, ?3, ?4, ?5 UNION ALL SELECT n + 1, organizations, users, devices, now FROM k WHERE n < ?1)
`

type statement struct {
	kind string
	rows int
	text string
}

func statements(s Size) []statement {
	return []statement{
		{"organizations", s.Organizations, `INSERT INTO organizations
			SELECT n, 'Organization ' || n, 'organization ' || n, TRUE, '[]', now, now FROM k`},
		{"users", s.Users, `INSERT INTO users
			SELECT n, 'user' || n, 'user' || n, 'user' || n || '@example.org', 'user' || n || '@example.org', '', 'user',
			n % organizations + 1, TRUE, FALSE, 'local', now, now, now, NULL, NULL FROM k`},
		{"logins", s.Users, `INSERT INTO logins (login_key, user_id) SELECT 'user' || n, n FROM k`},
		{"emails", s.Users, `INSERT INTO logins (login_key, user_id) SELECT 'user' || n || '@example.org', n FROM k`},
		{"sessions", s.Sessions, `INSERT INTO sessions
			SELECT n, n % users + 1, n, '', '192.0.2.1', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36', '', '',
			now, now + 86400000000, now + 86400000000, TRUE, '', '', now, 'password' FROM k`},
		{"hwkeys", s.Devices, `INSERT INTO hwkeys
			SELECT n, printf('bench-%08d', n), printf('bench-%08d', n), 'Label ' || n, 'label ' || n, 'YubiKey 5 NFC',
			'5.7.1', 'keychain', 'active', n % users + 1, n % organizations + 1, now, now, NULL, 1, FALSE, now, TRUE, 0 FROM k`},
		{"certificates", s.Certificates, `INSERT INTO certificates
			SELECT n, printf('%02x%s', 1 + n % 127, lower(hex(randomblob(15)))), n % devices + 1, n % users + 1,
			n % organizations + 1, '9a', iif(n % 100, 'issued', 'revoked'), now, now + 86400000000 * (n % 365),
			iif(n % 100, NULL, now), iif(n % 100, '', 'unspecified'), iif(n % 100, NULL, now), NULL,
			iif(n % 100, 'live/' || n, NULL), 'csr', 'CN=user' || n, 'user' || n, 'user' || n, '[]', 'CN=Keyward',
			'rsa-2048', '', 'user1', NULL, '' FROM k`},
		{"releases", s.Releases, `INSERT INTO audit_entries
			SELECT NULL, now - n * 60000000, 'hwkey.secrets_released', 'success', n % users + 1, 'user' || (n % users + 1),
			'user' || (n % users + 1), n % organizations + 1, 'hwkey', printf('bench-%08d', n % devices + 1),
			printf('bench-%08d', n % devices + 1), 'workstation', '192.0.2.1', 'request-' || n, 'reason ' || (n % 50),
			'fields pin', '', '', NULL, NULL FROM k`},
		{"audit", s.Audit, `INSERT INTO audit_entries
			SELECT n, now + n, iif(n % 2, 'auth.', 'hwkey.') || char(97 + n % 20), iif(n % 100, 'success', 'denied'),
			n % users + 1, 'user' || (n % users + 1), 'user' || (n % users + 1), n % organizations + 1, 'hwkey',
			'bench-' || (n % 100000), 'bench-' || (n % 100000), 'workstation', '192.0.2.1', 'request-' || n,
			'', 'some details', '', '', NULL, NULL FROM k`},
	}
}
