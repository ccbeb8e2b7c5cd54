package httpapi

import (
	"context"
	"slices"
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

// thing is a kind of target that a denial may have.
type thing struct {
	kind     string   // in the audit log; with _id also the query's parameter
	segments []string // of paths, before the parameter that names one
	missing  []string // reasons of a NotFound: it is not there, or not in scope
}

// things are all kinds. What is not found for any other reason, such as the
// secrets or the rotation of a token that the actor reaches, is no denial.
var things = []thing{
	{"hwkey", []string{"hwkey"}, []string{"no_hwkey"}},
	{"certificate", []string{"certificates"}, []string{"no_certificate"}},
	{"user", []string{"users"}, []string{"no_user"}},
	{"organization", []string{"organizations"}, []string{"no_organization"}},
	{"session", []string{"session", "sessions"}, []string{"no_session", "not_own_session"}},
	{"agent", []string{"agents"}, []string{"no_agent"}},
	{"notice", []string{"notices"}, []string{"no_notice"}},
	{"api_key", []string{"api-keys"}, []string{"no_api_key"}},
	{"webhook", []string{"webhooks"}, []string{"no_webhook"}},
	{"delivery", []string{"deliveries"}, []string{"no_delivery"}},
}

// foreignAgent is the reason for which nothing is sealed to a session's agent key:
// somebody put it into the database.
const foreignAgent = "agent_key_foreign"

// refuses tells whether an error denies the actor something: by permission, for a
// foreign agent, or because it does not lie in their scope; then of what kind. To whoever reaches
// everything, a thing that is not found is not there.
func refuses(err error, scope access.Scope) (denied bool, of *thing) {
	f, ok := fault.As(err)
	switch {
	case !ok:
		return false, nil
	case f.Code == fault.PermissionDenied, f.Reason == foreignAgent:
		return true, nil
	case f.Code != fault.NotFound || scope.Reach == access.Everything:
		return false, nil
	}
	i := slices.IndexFunc(things, func(t thing) bool { return slices.Contains(t.missing, f.Reason) })
	if i < 0 {
		return false, nil
	}
	return true, &things[i]
}

// denied tells the hook of an error that refuses what the request asks for.
func (s *Server) denied(ctx context.Context, err error) {
	x := exchangeFrom(ctx)
	if x == nil || x.request == nil {
		return
	}
	denied, of := refuses(err, x.scope)
	if !denied {
		return
	}
	kind, id := x.named(of)
	if of != nil && kind == "" {
		return // what is missing is no thing that the request names
	}
	s.tell(ctx, x, kind, id)
}

// DeniedOne tells the hook, if err refuses, of one of the many things that a
// request's body asks for.
func (s *Server) DeniedOne(ctx context.Context, err error, kind, id string) {
	x := exchangeFrom(ctx)
	if denied, _ := refuses(err, x.scope); denied {
		s.tell(ctx, x, kind, asNamed(id))
	}
}

func (s *Server) tell(ctx context.Context, x *exchange, kind, id string) {
	if s.opts.OnDenied != nil && x.actor.Known() {
		s.opts.OnDenied(ctx, x.actor, Denial{x.route.ID, kind, id})
	}
}

// named is what the request names of that kind, in its path or its query; nil:
// the first that its path names.
func (x *exchange) named(of *thing) (kind, id string) {
	before := ""
	for segment := range strings.SplitSeq(x.route.Path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			for _, t := range things {
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
