package access

import (
	"context"

	"github.com/keyward/keyward/internal/fault"
)

// Admission is what a request was let in on: who asked, as check 3 found them,
// and whether the operation demands that they proved who they are a short
// while ago. The guard puts it into the request's context. Whatever writes for
// the request then checks it once more (contract §2): the store inside the
// transaction that writes, the vault's door just before a write. So no
// operation can forget to.
type Admission struct {
	Actor     Actor
	Operation Operation // which row of the tables is asked about what it changes
	Recent    bool
}

// ActorChanged refuses whoever has got another role or organization while their
// request was under way.
var ActorChanged = fault.New(fault.PermissionDenied, "actor_changed",
	"Your role or organization has just changed. Reload the page and try again.")

type admissionKey struct{}

// Admit gives a request's context what it was let in on.
func Admit(ctx context.Context, a Admission) context.Context {
	return context.WithValue(ctx, admissionKey{}, &a)
}

// DemandRecent adds to what a request was let in on that its writes take a
// recent proof of identity: for an operation that demands one in some cases
// alone. It changes nothing outside of a request.
func DemandRecent(ctx context.Context) context.Context {
	a := AdmissionOf(ctx)
	if a == nil {
		return ctx
	}
	return Admit(ctx, Admission{Actor: a.Actor, Operation: a.Operation, Recent: true})
}

// OnRecord is the context of what has happened and only has to be put on
// record, though its actor be dismissed meanwhile: a move that the vault took,
// a refusal, a revocation on its way to the CRL. Nothing else may use it; a
// test lists who does.
func OnRecord(ctx context.Context) context.Context {
	return context.WithValue(ctx, admissionKey{}, (*Admission)(nil))
}

// AdmissionOf is what a request was let in on; nil outside of any, in a public
// operation, and OnRecord.
func AdmissionOf(ctx context.Context) *Admission {
	a, _ := ctx.Value(admissionKey{}).(*Admission)
	return a
}
