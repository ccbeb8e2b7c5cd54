package rollback_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/rollback"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/vaulttest"
)

// life is that of a process, which may be killed between any two of its writes to
// either side: from then on it writes nothing.
type life struct {
	mu   sync.Mutex
	left int    // writes until it is killed; negative: never
	over bool   // it was killed
	end  func() // called once, at that moment
	// Sides that it cannot reach for a while.
	noVault, noDatabase bool
}

var errKilled = fmt.Errorf("%w: the server was killed", vault.ErrUnavailable)

// write is called before each write.
func (l *life) write(vaults bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.reach(vaults); err != nil {
		return err
	}
	if l.left == 0 && !l.over {
		l.kill()
	}
	if l.over {
		return errKilled
	}
	l.left = max(l.left-1, -1)
	return nil
}

func (l *life) kill() {
	if !l.over {
		l.over = true
		l.end()
	}
}

func (l *life) read(vaults bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return errKilled
	}
	return l.reach(vaults)
}

// cut sets which sides are unreachable.
func (l *life) cut(noVault, noDatabase bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.noVault, l.noDatabase = noVault, noDatabase
}

func (l *life) reach(vaults bool) error {
	switch {
	case vaults && l.noVault:
		return vault.ErrUnavailable
	case !vaults && l.noDatabase:
		return fault.New(fault.DatabaseUnavailable, "", "away")
	}
	return nil
}

// mortalVault is the vault as seen by such a process.
type mortalVault struct {
	authority

	life *life
}

func (m mortalVault) Get(ctx context.Context, path string) (vault.Version, error) {
	if err := m.life.read(true); err != nil {
		return vault.Version{}, err
	}
	return m.authority.Get(ctx, path)
}

func (m mortalVault) Put(ctx context.Context, path string, data vault.Data, cas int) (int, error) {
	if err := m.life.write(true); err != nil {
		return 0, err
	}
	return m.authority.Put(ctx, path, data, cas)
}

func (m mortalVault) DestroyPath(ctx context.Context, path string) error {
	if err := m.life.write(true); err != nil {
		return err
	}
	return m.authority.DestroyPath(ctx, path)
}

func (m mortalVault) Prepare(ctx context.Context, r vault.SignRequest) (vault.Prepared, error) {
	p, err := m.authority.Prepare(ctx, r)
	return vaulttest.Prepared{Prepared: p, Before: func() error { return m.life.write(true) }}, err
}

func (m mortalVault) Revoke(ctx context.Context, list ...vault.Revocation) error {
	if err := m.life.write(true); err != nil {
		return err
	}
	return m.authority.Revoke(ctx, list...)
}

func (m mortalVault) CRL(ctx context.Context, ca string) (vault.CRL, error) {
	if err := m.life.write(true); err != nil {
		return vault.CRL{}, err
	}
	return m.authority.CRL(ctx, ca)
}

func (m mortalVault) RaiseCRL(ctx context.Context, ca string, above uint64, each func(uint64) error) error {
	if err := m.life.write(true); err != nil {
		return err
	}
	return m.authority.RaiseCRL(ctx, ca, above, each)
}

// mortalStore is the database as seen by such a process.
type mortalStore struct {
	*store.DB

	life *life
}

func (m mortalStore) SchemaTampering(ctx context.Context) ([]string, error) {
	if err := m.life.read(false); err != nil {
		return nil, err
	}
	return m.DB.SchemaTampering(ctx)
}

func (m mortalStore) VaultMarks(ctx context.Context) (map[string]rollback.Mark, error) {
	if err := m.life.read(false); err != nil {
		return nil, err
	}
	return m.DB.VaultMarks(ctx)
}

func (m mortalStore) AppendAudit(ctx context.Context, entries ...audit.Entry) error {
	if err := m.life.write(false); err != nil {
		return err
	}
	return m.DB.AppendAudit(ctx, entries...)
}

func (m mortalStore) InsertAuditBatch(ctx context.Context, last, b chain.Batch) (bool, error) {
	if err := m.life.write(false); err != nil {
		return false, err
	}
	return m.DB.InsertAuditBatch(ctx, last, b)
}

func (m mortalStore) InsertCertificate(
	ctx context.Context, c cert.Certificate, entry audit.Entry, told ...notify.Message,
) (cert.Certificate, bool, error) {
	if err := m.life.write(false); err != nil {
		return cert.Certificate{}, false, err
	}
	return m.DB.InsertCertificate(ctx, c, entry, told...)
}

func (m mortalStore) RevokeCertificate(
	ctx context.Context, serial string, reason vault.Reason, at time.Time, entry audit.Entry,
) (cert.Certificate, error) {
	if err := m.life.write(false); err != nil {
		return cert.Certificate{}, err
	}
	return m.DB.RevokeCertificate(ctx, serial, reason, at, entry)
}

func (m mortalStore) RevokeUnrecorded(ctx context.Context, r vault.Revocation, key string, entry audit.Entry) error {
	if err := m.life.write(false); err != nil {
		return err
	}
	return m.DB.RevokeUnrecorded(ctx, r, key, entry)
}

func (m mortalStore) MarkPublished(ctx context.Context, carried []vault.Revocation, at time.Time) error {
	if err := m.life.write(false); err != nil {
		return err
	}
	return m.DB.MarkPublished(ctx, carried, at)
}

func (m mortalStore) Unpublish(ctx context.Context, serials []string) error {
	if err := m.life.write(false); err != nil {
		return err
	}
	return m.DB.Unpublish(ctx, serials)
}

func (m mortalStore) ChangeDevice(
	ctx context.Context, scope access.Scope, serial string, owner *int64, decide func(hwkey.Present) (hwkey.Change, error),
) (hwkey.Device, error) {
	if err := m.life.write(false); err != nil {
		return hwkey.Device{}, err
	}
	return m.DB.ChangeDevice(ctx, scope, serial, owner, decide)
}

func (m mortalStore) PutSetting(ctx context.Context, name string, v settings.Value, entries ...audit.Entry) error {
	if err := m.life.write(false); err != nil {
		return err
	}
	return m.DB.PutSetting(ctx, name, v, entries...)
}

func (m mortalStore) SwapSetting(ctx context.Context, name string, was, v settings.Value) (bool, error) {
	if err := m.life.write(false); err != nil {
		return false, err
	}
	return m.DB.SwapSetting(ctx, name, was, v)
}

func (m mortalStore) RaiseVaultMark(ctx context.Context, name string, value uint64) error {
	if err := m.life.write(false); err != nil {
		return err
	}
	return m.DB.RaiseVaultMark(ctx, name, value)
}

func (m mortalStore) AgeVaultMarks(ctx context.Context, atOnce bool) error {
	if err := m.life.write(false); err != nil {
		return err
	}
	return m.DB.AgeVaultMarks(ctx, atOnce)
}

func (m mortalStore) AcceptVault(ctx context.Context, a rollback.VaultAcceptance) error {
	if err := m.life.write(false); err != nil {
		return err
	}
	return m.DB.AcceptVault(ctx, a)
}

func (m mortalStore) AcceptDatabase(ctx context.Context, a rollback.DatabaseAcceptance) error {
	if err := m.life.write(false); err != nil {
		return err
	}
	return m.DB.AcceptDatabase(ctx, a)
}

func (m mortalStore) RecordRelease(ctx context.Context, serial string, entry audit.Entry, edit func(*hwkey.Device)) (audit.Entry, error) {
	if err := m.life.write(false); err != nil {
		return audit.Entry{}, err
	}
	return m.DB.RecordRelease(ctx, serial, entry, edit)
}
