package store

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/hwkey"
)

// What these conditions leave is read in the order of the list, from whose index none of them may
// lead away: it would sort all that they let through, for each page.

// deviceConditions adds the filters that are neither scope nor status.
func (db *DB) deviceConditions(ctx context.Context, w *where, f hwkey.Filter) error {
	if f.Model != "" {
		w.is("lower(h.model) LIKE lower(" + w.arg("%"+escapeLike.Replace(f.Model)+"%") + `) ESCAPE '\'`)
	}
	if f.Firmware != nil {
		w.text("h.firmware_version", *f.Firmware, false)
	}
	if f.FirmwareBelow != "" {
		below, err := db.firmwareBelow(ctx, f)
		if err != nil {
			return err
		}
		oneOf(w, "COALESCE(h.firmware_version, '')", below)
	}
	if f.Owned != nil {
		w.is("(h.owner_id IS NOT NULL) = " + w.arg(*f.Owned))
	}
	if f.Enrolled != nil {
		w.is("(h.enrolled_at IS NOT NULL) = " + w.arg(*f.Enrolled))
	}
	if !f.SeenFrom.IsZero() {
		w.compare("h.last_seen_at", ">=", micros(f.SeenFrom))
	}
	if !f.SeenBefore.IsZero() {
		w.is("(h.last_seen_at IS NULL OR h.last_seen_at < " + w.arg(micros(f.SeenBefore)) + ")")
	}
	if !f.SecretsBefore.IsZero() {
		w.is("h.status <> 'retired'")
		w.compare("+h.secrets_changed_at", "<", micros(f.SecretsBefore))
	}
	if f.ExpiringDays > 0 {
		expiringWithin(w, "h.id", "x.hwkey_id", f.Now, f.ExpiringDays)
	}
	return nil
}

// firmwareBelow finds the versions before the filter's among those that there are. They are few.
func (db *DB) firmwareBelow(ctx context.Context, f hwkey.Filter) ([]string, error) {
	all, err := queryAll(ctx, db.read, func(row scanner) (v string, err error) {
		err = row.Scan(&v)
		return v, err
	}, "SELECT DISTINCT h.firmware_version FROM hwkeys AS h")
	if err != nil {
		return nil, asFault("firmware versions", err)
	}
	return f.Below(all), nil
}

// userConditions adds the filters that are about what an account has and did.
func userConditions(w *where, f account.UserFilter) {
	if f.Tokens != nil {
		owns := "EXISTS (SELECT 1 FROM hwkeys AS h WHERE h.owner_id = u.id AND h.status <> 'lost' AND h.status <> 'retired')"
		if !*f.Tokens {
			owns = "NOT " + owns
		}
		w.is(owns)
	}
	switch f.State {
	case account.YetInvited:
		w.is("u.is_active <> FALSE")
		w.is("u.auth_source = 'local'")
		w.is("u.password_hash = ''")
	case account.NeverSignedIn:
		w.is("u.is_active <> FALSE")
		w.is("u.last_login_at IS NULL")
	}
	if f.ExpiringDays > 0 {
		expiringWithin(w, "u.id", "x.owner_id", f.Now, f.ExpiringDays)
	}
}

// expiringWithin adds "has a certificate, not revoked, that ends within so many days". The
// certificates' own index finds them.
func expiringWithin(w *where, id, of string, now time.Time, days int) {
	w.is(id + " IN (SELECT " + of + " FROM certificates AS x WHERE x.status = 'issued' AND x.not_after > " + w.arg(micros(now)) +
		" AND x.not_after <= " + w.arg(micros(now.AddDate(0, 0, days))) + ")")
}
