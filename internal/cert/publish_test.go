package cert

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// pendingStore holds recorded, unpublished revocations.
type pendingStore struct {
	Store

	pending []vault.Revocation
}

func (s *pendingStore) UnpublishedRevocations(_ context.Context, skip, limit int) ([]vault.Revocation, error) {
	from := min(skip, len(s.pending))
	return slices.Clone(s.pending[from:min(from+limit, len(s.pending))]), nil
}

func (s *pendingStore) UnpublishedUnrecorded(context.Context, int, int) ([]vault.Revocation, error) {
	return nil, nil
}

func (s *pendingStore) MarkPublished(_ context.Context, carried []vault.Revocation, _ time.Time) error {
	s.pending = slices.DeleteFunc(s.pending, func(r vault.Revocation) bool {
		return slices.ContainsFunc(carried, func(c vault.Revocation) bool { return c.Serial == r.Serial })
	})
	return nil
}

func (s *pendingStore) Certificate(_ context.Context, _ access.Scope, serialNumber string) (Certificate, error) {
	c := Certificate{SerialNumber: serialNumber}
	if !slices.ContainsFunc(s.pending, func(r vault.Revocation) bool { return r.Serial == serialNumber }) {
		c.PublishedAt = new(time.Time)
	}
	return c, nil
}

// refusingPKI refuses some revocations and accepts the others.
type refusingPKI struct {
	vault.PKI

	refuses func(serial string) bool
	away    error
	calls   int
}

func (p *refusingPKI) Revoke(_ context.Context, list ...vault.Revocation) error {
	p.calls++
	if p.away != nil {
		return p.away
	}
	failed := map[string]error{}
	for _, r := range list {
		if p.refuses(r.Serial) {
			failed[r.Serial] = vault.ErrInvalid
		}
	}
	if len(failed) > 0 {
		return &vault.Unrevoked{Failed: failed}
	}
	return nil
}

type shownList struct{}

func (shownList) Refresh(context.Context) error { return nil }

// TestManyRefused: more refused revocations than fit in one call do not keep later
// ones off the list, and are reported at the end.
func TestManyRefused(t *testing.T) {
	t.Parallel()
	db, ca := &pendingStore{}, &refusingPKI{refuses: func(serial string) bool { return serial < "1500" }}
	for i := range 3500 {
		db.pending = append(db.pending, vault.Revocation{Serial: fmt.Sprintf("%04d", i)})
	}
	s := &Service{Store: db, PKI: ca, CRL: shownList{}, Now: time.Now}
	err := s.PublishRevocations(t.Context())
	if some, ok := errors.AsType[*vault.Unrevoked](err); !ok || len(some.Failed) != 1500 || len(db.pending) != 1500 || ca.calls > 5 {
		t.Errorf("%v; %d are left, after %d calls", err, len(db.pending), ca.calls)
	}
	ca.away = vault.ErrDenied
	if err := s.PublishRevocations(t.Context()); !errors.Is(err, vault.ErrDenied) || ca.calls > 6 {
		t.Errorf("denied: %v, after %d calls", err, ca.calls)
	}
	ca.away, ca.refuses = nil, func(string) bool { return false }
	must.OK(t, s.PublishRevocations(t.Context()))
	if len(db.pending) != 0 {
		t.Errorf("%d are left", len(db.pending))
	}
}

// TestPublishThose counts those not on the list yet, also if the vault refuses others.
func TestPublishThose(t *testing.T) {
	t.Parallel()
	db, ca := &pendingStore{}, &refusingPKI{refuses: func(serial string) bool { return serial > "02" }}
	for _, serial := range []string{"01", "02", "03", "04"} {
		db.pending = append(db.pending, vault.Revocation{Serial: serial})
	}
	s := &Service{Store: db, PKI: ca, CRL: shownList{}, Now: time.Now}
	ca.away = vault.ErrDenied
	if left, err := s.PublishThose(t.Context(), []string{"01", "02"}); left != 2 || !errors.Is(err, vault.ErrDenied) {
		t.Errorf("the vault takes none: %d, %v", left, err)
	}
	ca.away = nil
	for _, want := range []int{0, 2} {
		serials := map[int][]string{0: {"01", "02"}, 2: {"02", "03", "04"}}[want]
		if left, err := s.PublishThose(t.Context(), serials); left != want || err == nil {
			t.Errorf("%v: %d, %v, want %d", serials, left, err, want)
		}
	}
	ca.refuses = func(string) bool { return false }
	if left, err := s.PublishThose(t.Context(), []string{"03"}); left != 0 || err != nil {
		t.Errorf("the vault takes all: %d, %v", left, err)
	}
}
