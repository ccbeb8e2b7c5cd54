package resource

import (
	"context"
	"net/http"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/httpapi"
)

func registerAuditSeal(s *httpapi.Server, sealer *chain.Sealer) {
	httpapi.Register(s, httpapi.Operation{ID: "audit-seal", Method: http.MethodGet, Path: "/api/admin/audit/seal", Tags: []string{"audit"},
		Summary: "Show how far the audit log is sealed",
		Description: "The signed head of the chain. A copy kept elsewhere proves later that nothing up to it was changed: keyward audit " +
			"verify --head FILE."},
		func(ctx context.Context, _ *struct{}) (*answer[backend.AuditSeal], error) {
			st, err := sealer.Status(ctx)
			if err != nil {
				return nil, err
			}
			return &answer[backend.AuditSeal]{sealBody(st)}, nil
		})
}

func sealBody(st chain.Status) backend.AuditSeal {
	b := backend.AuditSeal{
		PublicKey: st.PublicKey, FormerPublicKeys: st.FormerKeys, Segment: st.Head.Segment, Batch: st.Head.Batch,
		LastSealedID: st.Head.LastID, Hash: st.Head.Hash, KeyID: st.Head.KeyID, Signature: st.Head.Signature, Unsealed: st.Unsealed,
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
