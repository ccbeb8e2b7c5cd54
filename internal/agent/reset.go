package agent

import (
	"context"

	wire "github.com/keyward/keyward/api/agent"
	"github.com/keyward/keyward/internal/fault"
)

// reset wipes the PIV application. It takes no secret: anyone who holds the token
// can wipe it anyway, by using up its tries.
func (s *server) reset(ctx context.Context, in *body[wire.ResetRequest]) (*body[wire.Success], error) {
	b := &in.Body
	if b.Confirm != b.Serial {
		return nil, fault.Invalid(fault.Wrong("confirm", "not_serial", "must repeat the serial"))
	}
	return done(s.hold(ctx, func(ctx context.Context) error {
		return s.driver.Reset(ctx, b.Serial)
	}))
}
