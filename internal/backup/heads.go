package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/objstore"
)

// headKey is the key of the signed audit log head stored beside the backup of that
// time. It is no backup's name, so lists do not have it.
func headKey(prefix string, at time.Time) string {
	return prefix + "audit-head-" + at.UTC().Format("20060102-150405") + ".json"
}

// head is the file: the lasting part of GET /api/admin/audit/seal.
type head struct {
	PublicKey string `json:"public_key"`
	chain.Head
}

// putHead stores the audit log's head where someone who later changes the database
// may not reach it. It writes nothing before the first sealing.
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
