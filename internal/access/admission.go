package access

import (
	"context"

	"github.com/keyward/keyward/internal/fault"
)

// Admission is the basis on which a request was admitted: the actor as check 3
// found them, and whether the operation demands recent authentication. The
// guard puts it into the request's context. Every writer checks it again
// (contract §2), the store inside the writing transaction, the vault's door
// just before a write, so that no operation can forget to.
type Admission struct {
	Actor     Actor
	Operation Operation // its row says which fields have which effect
	Recent    bool
}

// ActorChanged refuses an actor whose role or organization changed during the request.
var ActorChanged = fault.New(fault.PermissionDenied, "actor_changed",
	"Your role or organization has just changed. Reload the page and try again.")

type admissionKey struct{}

// Admit adds an admission to a request's context.
func Admit(ctx context.Context, a Admission) context.Context {
	return context.WithValue(ctx, admissionKey{}, &a)
}

// DemandRecent makes the request's writes demand recent authentication, for
// operations that do so only in some cases. Outside a request it changes
// nothing.
func DemandRecent(ctx context.Context) context.Context {
	a := AdmissionOf(ctx)
	if a == nil {
		return ctx
	}
	return Admit(ctx, Admission{Actor: a.Actor, Operation: a.Operation, Recent: true})
}

// OnRecord is the context for recording what has already happened, even if its
// actor has lost access since: a move that the vault accepted, a refusal, a
// revocation on its way to the CRL. Nothing else may use it; a test lists its
// callers.
func OnRecord(ctx context.Context) context.Context {
	return context.WithValue(ctx, admissionKey{}, (*Admission)(nil))
}

// AdmissionOf returns the request's admission; nil outside requests, in public
// operations, and OnRecord.
func AdmissionOf(ctx context.Context) *Admission {
	a, _ := ctx.Value(admissionKey{}).(*Admission)
	return a
}
