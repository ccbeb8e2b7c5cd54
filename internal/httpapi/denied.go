package httpapi

import (
	"context"
	"strings"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/oneline"
)

// Denial is a refusal: what was asked for, and of what. A thing that is there,
// but outside the actor's scope, and one that is not there at all, make the
// same denial.
type Denial struct {
	Operation  access.Operation
	TargetType string // hwkey, user, …; empty where the path names nothing
	TargetID   string // as it was asked for
}

// kinds are the things that paths name, by the segment before their parameter.
var kinds = map[string]string{
	"hwkey": "hwkey", "certificates": "certificate", "users": "user", "organizations": "organization", "api-keys": "api_key",
	"webhooks": "webhook", "deliveries": "delivery", "session": "session", "sessions": "session", "notices": "notice",
	"agents": "agent", "rotations": "rotation",
}

// denied tells the hook of an error that refuses: by permission, or because
// what was asked for does not lie in the actor's scope. To whoever reaches
// everything, a thing that is not found is not there.
func (s *Server) denied(ctx context.Context, err error) {
	x := exchangeFrom(ctx)
	f, ok := fault.As(err)
	if !ok || x == nil || x.request == nil {
		return
	}
	d := Denial{Operation: x.route.ID}
	switch f.Code {
	case fault.PermissionDenied:
		d.TargetType, d.TargetID = x.named("")
	case fault.NotFound:
		kind := strings.TrimPrefix(f.Reason, "no_")
		if f.Reason == "not_own_session" {
			kind = "session"
		}
		d.TargetType, d.TargetID = x.named(kind)
		if x.scope.Reach == access.Everything || d.TargetType == "" {
			return // what is missing is no thing that the request names
		}
	default:
		return
	}
	s.Denied(ctx, d)
}

// named is what the request names of that kind, in its path or its query; of
// any kind for the empty one.
func (x *exchange) named(kind string) (targetType, id string) {
	before := ""
	for segment := range strings.SplitSeq(x.route.Path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			if k := kinds[before]; k != "" && (kind == "" || kind == k) {
				return k, asNamed(x.request.PathValue(strings.TrimSuffix(name, "}")))
			}
		}
		before = segment
	}
	if id := x.request.URL.Query().Get(kind + "_id"); kind != "" && id != "" {
		return kind, asNamed(id)
	}
	return "", ""
}

// maxTargetBytes bounds what a denial says of its target: names of things are
// shorter.
const maxTargetBytes = 128

// asNamed is what a request names as the log takes it: one short line. Whatever is
// cut or replaced was no thing's name.
func asNamed(id string) string {
	if len(id) > maxTargetBytes {
		id = id[:maxTargetBytes]
	}
	return oneline.Clean(id)
}

// Denied tells the hook of a refusal of the request's actor.
func (s *Server) Denied(ctx context.Context, d Denial) {
	if actor := ActorFrom(ctx); s.opts.OnDenied != nil && actor.Known() {
		s.opts.OnDenied(ctx, actor, d)
	}
}
