package store

import (
	"context"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// DeviceHistory implements hwkey.Store.
func (db *DB) DeviceHistory(ctx context.Context, scope access.Scope, serial string, p page.Request) (page.Page[audit.Entry], error) {
	d, err := db.Device(ctx, scope, serial)
	if err != nil {
		return page.Page[audit.Entry]{}, err
	}
	var owner *int64
	w := &where{}
	switch scope.Reach {
	case access.Own:
		owner = d.OwnerID
		since, err := db.q().OwnedSince(ctx, fold(d.Serial))
		if none(err) { // unknown: show nothing
			since, err = 1<<62, nil
		}
		if err != nil {
			return page.Page[audit.Entry]{}, asFault("device history", err)
		}
		w.compare("e.id", ">=", since)
		// A refused actor may be anyone, and must not be named to the owner.
		w.is("(e.action <> '" + string(audit.PermissionDenied) + "' OR e.actor_id = " + w.arg(scope.UserID) + ")")
	case access.Organization:
		w.number("e.organization_id", *d.OrganizationID, false)
	}
	serials, err := db.q().CertificatesOfToken(ctx, sqlcgen.CertificatesOfTokenParams{HwkeyID: d.ID, OwnerID: owner})
	if err != nil {
		return page.Page[audit.Entry]{}, asFault("device history", err)
	}
	keys := []string{fold(d.Serial)}
	for _, s := range serials {
		keys = append(keys, fold(s))
	}
	oneOf(w, "e.target_key", keys)
	w.is("e.target_type IN ('hwkey', 'certificate')") // a serial may be the number of something else, too
	list := listed[audit.Entry]{"SELECT " + auditColumns, " FROM audit_entries AS e", "", "e.id",
		scanEntry, func(e audit.Entry) int64 { return e.ID }}
	return list.page(ctx, db, "device history", w, p)
}
