package store

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

var (
	upnTaken = fault.New(fault.Conflict, "upn_taken", "That UPN belongs to another account. Use another one.").
			About(fault.Wrong("upn", "of_another", "belongs to another account"))
	sidTaken = fault.New(fault.Conflict, "sid_taken", "That SID belongs to another account. Use another one.").
			About(fault.Wrong("sid", "of_another", "belongs to another account"))
)

// upnReserved and sidReserved are the Conflict for a name in a certificate of its former holder,
// by which a directory would sign in the new one.
func upnReserved(day fault.Params) error {
	return fault.Newf(fault.Conflict, "upn_reserved",
		"A certificate of that UPN's former owner is valid until {until}. Use another UPN.", day).
		About(fault.Wrong("upn", "reserved_for_former", "is still reserved for its former owner"))
}

func sidReserved(day fault.Params) error {
	return fault.Newf(fault.Conflict, "sid_reserved",
		"A certificate of that SID's former owner is valid until {until}. Use another SID.", day).
		About(fault.Wrong("sid", "reserved_for_former", "is still reserved for its former owner"))
}

// directoryName is a UPN or a SID.
type directoryName struct {
	key       string // empty: none
	taken     error
	reserved  func(fault.Params) error
	carriedBy func(account.Certificate) bool
}

func directoryNames(u account.User) [2]directoryName {
	upn := directoryName{taken: upnTaken, reserved: upnReserved,
		carriedBy: func(c account.Certificate) bool { return c.CarriesUPN(u.UPN) }}
	sid := directoryName{taken: sidTaken, reserved: sidReserved,
		carriedBy: func(c account.Certificate) bool { return c.CarriesSID(u.SID) }}
	if u.UPN != "" {
		upn.key = account.UPNKey(u.UPN)
	}
	if u.SID != "" {
		sid.key = account.SIDKey(u.SID)
	}
	return [2]directoryName{upn, sid}
}

// claimDirectory takes the account's UPN and SID.
func (t *tx) claimDirectory(ctx context.Context, id int64, u account.User) error {
	for _, name := range directoryNames(u) {
		if name.key == "" {
			continue
		}
		n, err := t.q.ClaimDirectoryName(ctx, sqlcgen.ClaimDirectoryNameParams{
			NameKey: name.key, UserID: id, Now: pointerTo(micros(t.now()))})
		if err != nil {
			return err
		}
		if n > 0 {
			continue
		}
		until, err := t.q.DirectoryNameReserved(ctx, name.key)
		switch {
		case err != nil:
			return err
		case until != nil:
			return name.reserved(dayOf(moment(*until)))
		}
		return name.taken
	}
	return nil
}

// changeDirectory claims the account's new UPN and SID and gives up the former ones, as
// changeLogins does with its names.
func (t *tx) changeDirectory(ctx context.Context, was account.User, c account.UserChange) error {
	if err := t.claimDirectory(ctx, was.ID, c.User); err != nil {
		return err
	}
	certificates, err := t.certificatesOf(ctx, was.ID, c.At)
	if err != nil {
		return err
	}
	next := directoryNames(c.User)
	for i, former := range directoryNames(was) {
		if former.key == "" || former.key == next[i].key {
			continue
		}
		if until := lastOf(certificates, former.carriedBy); until.IsZero() {
			err = t.q.DropDirectoryName(ctx, former.key)
		} else {
			err = t.q.ReserveDirectoryName(ctx, sqlcgen.ReserveDirectoryNameParams{
				NameKey: former.key, ReservedUntil: pointerTo(micros(until))})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lastOf is when the last of the certificates that carry a name ends; zero: none does.
func lastOf(certificates []account.Certificate, carry func(account.Certificate) bool) (until time.Time) {
	for _, c := range certificates {
		if c.NotAfter.After(until) && carry(c) {
			until = c.NotAfter
		}
	}
	return until
}

// DirectoryNamesAmong implements account.UserStore.
func (db *DB) DirectoryNamesAmong(ctx context.Context, keys []string, now time.Time) (map[string]account.Login, error) {
	return db.namesAmong(ctx, "directory_names", "name_key", keys, now)
}
