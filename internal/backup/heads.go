package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/objstore"
)

// headKey is where the signed head of the audit log stands that goes with the backup of
// that moment. It is no backup's name, so no list has it.
func headKey(prefix string, at time.Time) string {
	return prefix + "audit-head-" + at.UTC().Format("20060102-150405") + ".json"
}

// head is the file: what GET /api/admin/audit/seal answers, as far as it lasts.
type head struct {
	PublicKey string `json:"public_key"`
	chain.Head
}

// putHead writes how far the audit log is sealed, where who changes the database later
// may not reach it. Nothing is written before the first sealing.
func (s *Service) putHead(ctx context.Context, store objstore.Store, at time.Time) error {
	status, err := s.Sealed(ctx)
	if err != nil || status.PublicKey == "" || status.Head.Batch == 0 {
		return err
	}
	text, err := json.MarshalIndent(head{status.PublicKey, status.Head}, "", "  ")
	if err != nil {
		return err
	}
	_, err = store.Put(ctx, headKey(store.Prefix(), at), bytes.NewReader(append(text, '\n')))
	return err
}
