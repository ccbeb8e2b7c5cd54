package hwkey

import (
	"context"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/page"
)

// History returns a token's history, newest first. Its owner also sees what others
// did, but not from where. NotFound outside scope.
func (s *Service) History(
	ctx context.Context, a access.Actor, scope access.Scope, serial string, p page.Request,
) (page.Page[audit.Entry], error) {
	list, err := s.Store.DeviceHistory(ctx, scope, serial, p)
	if err != nil || scope.Reach != access.Own {
		return list, err
	}
	return page.Map(list, func(e audit.Entry) audit.Entry {
		if e.ActorID == nil || *e.ActorID != a.UserID {
			e.Hostname, e.IPAddress, e.RequestID = "", "", ""
		}
		return e
	}), nil
}
