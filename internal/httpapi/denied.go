package httpapi

import (
	"context"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/textinput"
)

// Denial is a refusal: the operation and its target. A target outside the actor's scope
// and one that does not exist produce the same denial.
type Denial struct {
	Operation  access.Operation
	TargetType string // hwkey, user, …; empty if the path names nothing
	TargetID   string // as requested
}

// resourceKind is a kind of target of denials.
type resourceKind struct {
	kind     string   // in the audit log; followed by _id, the query parameter
	segments []string // of paths, before the parameter with the id
	missing  []string // reasons of a NotFound: missing, or not in scope
}

// resourceKinds are all kinds. NotFound for any other reason, such as the secrets or the
// rotation of a token in scope, is not a denial.
var resourceKinds = []resourceKind{
	{"hwkey", []string{"hwkey"}, []string{"no_hwkey"}},
	{"certificate", []string{"certificates"}, []string{"no_certificate"}},
	{"user", []string{"users"}, []string{"no_user"}},
	{"organization", []string{"organizations"}, []string{"no_organization"}},
	{"session", []string{"session", "sessions"}, []string{"no_session", "not_own_session"}},
	{"agent", []string{"agents"}, []string{"no_agent"}},
	{"notice", []string{"notices"}, []string{"no_notice"}},
	{"view", []string{"views"}, []string{"no_view"}},
	{"api_key", []string{"api-keys"}, []string{"no_api_key"}},
	{"webhook", []string{"webhooks"}, []string{"no_webhook"}},
	{"delivery", []string{"deliveries"}, []string{"no_delivery"}},
}

// foreignAgent is the reason when nothing is sealed to a session's agent key, because
// it was written into the database from outside.
const foreignAgent = "agent_key_foreign"

// refuses reports whether an error denies the actor something: by permission, for a
// foreign agent, or because it is out of scope; in the last case also of what kind. For
// an actor who reaches everything, NotFound means that the thing does not exist.
func refuses(err error, scope access.Scope) (denied bool, of *resourceKind) {
	f, ok := fault.As(err)
	switch {
	case !ok:
		return false, nil
	case f.Code == fault.PermissionDenied, f.Reason == foreignAgent:
		return true, nil
	case f.Code != fault.NotFound || scope.Reach == access.Everything:
		return false, nil
	}
	i := slices.IndexFunc(resourceKinds, func(t resourceKind) bool { return slices.Contains(t.missing, f.Reason) })
	if i < 0 {
		return false, nil
	}
	return true, &resourceKinds[i]
}

// denied passes an error that refuses the request's target to the hook.
func (s *Server) denied(ctx context.Context, err error) {
	x := requestContextFrom(ctx)
	if x == nil || x.request == nil {
		return
	}
	denied, of := refuses(err, x.scope)
	if !denied {
		return
	}
	kind, id := x.named(of)
	if of != nil && kind == "" {
		return // the missing thing is not named by the request
	}
	s.notify(ctx, x, kind, id)
}

// DeniedOne passes err to the hook if it refuses one of the many things named in a
// request's body.
func (s *Server) DeniedOne(ctx context.Context, err error, kind, id string) {
	x := requestContextFrom(ctx)
	if denied, _ := refuses(err, x.scope); denied {
		s.notify(ctx, x, kind, asNamed(id))
	}
}

func (s *Server) notify(ctx context.Context, x *requestContext, kind, id string) {
	if s.opts.OnDenied != nil && x.actor.Known() {
		s.opts.OnDenied(ctx, x.actor, Denial{x.route.ID, kind, id})
	}
}

// named returns the thing of that kind named by the request's path or query; nil means
// the first one that its path names.
func (x *requestContext) named(of *resourceKind) (kind, id string) {
	before := ""
	for segment := range strings.SplitSeq(x.route.Path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			for _, t := range resourceKinds {
				if slices.Contains(t.segments, before) && (of == nil || t.kind == of.kind) {
					return t.kind, asNamed(x.request.PathValue(strings.TrimSuffix(name, "}")))
				}
			}
		}
		before = segment
	}
	if of != nil {
		if id := x.request.URL.Query().Get(of.kind + "_id"); id != "" {
			return of.kind, asNamed(id)
		}
	}
	return "", ""
}

// maxTargetBytes bounds the target in a denial: names of things are shorter.
const maxTargetBytes = 128

// asNamed turns a requested name into one short line for the log. A name that this
// changes belongs to no thing.
func asNamed(id string) string {
	if len(id) > maxTargetBytes {
		id = id[:maxTargetBytes]
	}
	return textinput.CleanLine(id)
}
