package resource

import (
	"context"
	"net/http"
	"time"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/httpapi"
)

// AuditSeal is how far the audit log is sealed.
type AuditSeal struct {
	PublicKey        string     `json:"public_key" doc:"Ed25519, hex; empty before the first sealing"`
	Segment          int64      `json:"segment" doc:"one more after each restore; 0 when nothing is sealed"`
	Batch            int64      `json:"batch" doc:"the number of the last batch"`
	LastSealedID     int64      `json:"last_sealed_id" doc:"the last entry that is sealed"`
	SealedAt         *time.Time `json:"sealed_at" nullable:"true"`
	Hash             string     `json:"hash" doc:"running hash after that entry, hex"`
	KeyID            string     `json:"key_id"`
	Signature        string     `json:"signature" doc:"of segment, batch, last_sealed_id, sealed_at and hash, by public_key (docs/audit.md); hex"`
	Unsealed         int64      `json:"unsealed" doc:"entries that wait for the next minute's sealing"`
	OldestUnsealedAt *time.Time `json:"oldest_unsealed_at" nullable:"true"`
	Problem          *string    `json:"problem" nullable:"true" doc:"why sealing does not go on; null when it does"`
}

func registerAuditSeal(s *httpapi.Server, sealer *chain.Sealer) {
	httpapi.Register(s, httpapi.Operation{ID: "audit-seal", Method: http.MethodGet, Path: "/api/admin/audit/seal", Tags: []string{"audit"},
		Summary:     "Tell how far the audit log is sealed",
		Description: "The signed head of the chain. A copy kept elsewhere proves later that nothing up to it was changed: keyward audit verify --head FILE."},
		func(ctx context.Context, _ *struct{}) (*answer[AuditSeal], error) {
			st, err := sealer.Status(ctx)
			if err != nil {
				return nil, err
			}
			return &answer[AuditSeal]{sealBody(st)}, nil
		})
}

func sealBody(st chain.Status) AuditSeal {
	b := AuditSeal{
		PublicKey: st.PublicKey, Segment: st.Head.Segment, Batch: st.Head.Batch, LastSealedID: st.Head.LastID, Hash: st.Head.Hash,
		KeyID: st.Head.KeyID, Signature: st.Head.Signature, Unsealed: st.Unsealed,
		SealedAt: present(st.Head.SealedAt), OldestUnsealedAt: present(st.OldestUnsealed),
	}
	if st.Failure != nil {
		problem := "The last sealing failed; the server's log says why. It is tried again every minute."
		if _, broken := st.Broken(); broken {
			problem = st.Failure.Error()
		}
		b.Problem = &problem
	}
	return b
}
