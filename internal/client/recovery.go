package client

import (
	"context"

	"github.com/keyward/keyward/api/backend"
)

// Recovery reports why secrets and signatures are held back: what an older vault lacks,
// and what was altered in the database's tables.
func (b *Backend) Recovery(ctx context.Context) (Recovery, error) {
	var r Recovery
	return r, b.get(ctx, "/api/admin/system/recover", nil, &r)
}

// AcceptOlderVault continues with an older vault. It requires a recent proof of
// identity. A conflict means that the vault is not older.
func (b *Backend) AcceptOlderVault(ctx context.Context) (Recovery, error) {
	var r Recovery
	return r, b.post(ctx, "/api/admin/system/recover", backend.RecoverRequest{AcceptOlder: "vault"}, &r)
}
