package client

import (
	"context"

	"github.com/keyward/keyward/api/backend"
)

// Recovery tells why secrets and signatures are held back: what an older vault
// lacks, and what somebody did to the database's tables.
func (b *Backend) Recovery(ctx context.Context) (Recovery, error) {
	var r Recovery
	return r, b.get(ctx, "/api/admin/system/recover", nil, &r)
}

// AcceptOlderVault goes on with a vault that is older. It demands that who asks
// was proved a short while ago. A conflict says that it is not older.
func (b *Backend) AcceptOlderVault(ctx context.Context) (Recovery, error) {
	var r Recovery
	return r, b.post(ctx, "/api/admin/system/recover", backend.RecoverRequest{AcceptOlder: "vault"}, &r)
}
