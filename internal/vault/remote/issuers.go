package remote

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// authorityFresh is how long the CAs' certificates and settings are cached.
const authorityFresh = time.Minute

// authorities are the CAs of the mount, never changed.
type authorities struct {
	all    []*authority // the active one first, then the oldest
	active *authority   // nil: the default issuer has no key, or there is none
	listed issuers      // what they were made from
	at     time.Time
}

// find returns nil if there is none with that ID.
func (s *authorities) find(id string) *authority {
	if id == vault.Active {
		return s.active
	}
	if i := slices.IndexFunc(s.all, func(a *authority) bool { return a.id == id }); i >= 0 {
		return s.all[i]
	}
	return nil
}

// of returns the CA that an issuer is; nil if it is none.
func (s *authorities) of(ref string) *authority {
	if s != nil {
		for _, a := range s.all {
			if a.ref == ref {
				return a
			}
		}
	}
	return nil
}

// keyed is an issuer of the mount, and its key if the vault has that.
type keyed struct{ ref, key string }

// unlisted is the key of an issuer in the list of a Vault before 1.14, which shows none.
const unlisted = "?"

// issuers are all of the mount.
type issuers struct {
	list []keyed // by ref; those without a key, too
	main string  // ref of the default one; empty: none
}

func (l issuers) same(as issuers) bool { return l.main == as.main && slices.Equal(l.list, as.list) }

// issuers fetches the list by do, or by ask: Vault gives it to everybody.
func (e *Engine) issuers(ctx context.Context, by func(context.Context, call) (answer, error)) (l issuers, err error) {
	answered, err := by(ctx, call{method: http.MethodGet, path: e.opts.Mounts.PKI + "/issuers?list=true"})
	if err != nil {
		return l, err
	}
	var said struct {
		Info map[string]struct {
			Default bool    `json:"is_default"`
			Key     *string `json:"key_id"`
		} `json:"key_info"`
	}
	if err := answered.decode(&said); err != nil {
		return l, err
	}
	for ref, info := range said.Info {
		i := keyed{ref: ref}
		if i.key = unlisted; info.Key != nil {
			i.key = *info.Key
		}
		l.list = append(l.list, i)
		if info.Default {
			l.main = ref
		}
	}
	slices.SortFunc(l.list, func(a, b keyed) int { return strings.Compare(a.ref, b.ref) })
	return l, nil
}

// latest returns the CAs: those and the active one of this moment, since another server or an operator may
// have made another one sign; a certificate by one without its own addresses would have to be revoked.
// What else is known of each may be a minute old.
func (e *Engine) latest(ctx context.Context) (*authorities, error) { return e.fetch(ctx, e.cas.Load()) }

// anew returns the CAs, with all that there is to know.
func (e *Engine) anew(ctx context.Context) (*authorities, error) { return e.fetch(ctx, nil) }

func (e *Engine) fresh(s *authorities) bool {
	return s != nil && e.opts.Now().Sub(s.at).Abs() < authorityFresh
}

// fetch asks for the CAs, except for what is known of them.
func (e *Engine) fetch(ctx context.Context, known *authorities) (*authorities, error) {
	list, err := e.issuers(ctx, e.ask)
	if err != nil {
		if _, ok := errors.AsType[*refusal](err); ok && !noAnswer(err) && !errors.Is(err, vault.ErrBusy) {
			err = e.none()
		}
		return nil, err
	}
	if e.fresh(known) && known.listed.same(list) {
		return known, nil
	}
	s, err := e.look(ctx, list)
	switch {
	case err != nil:
		return nil, err
	case len(s.all) == 0:
		return nil, e.none()
	}
	if err := e.equip(ctx, s); err != nil {
		return nil, err
	}
	e.cas.Store(s)
	return s, nil
}

func (e *Engine) none() error { return unprepared("the mount " + e.opts.Mounts.PKI + " has no CA") }

// outdate has the CAs fetched anew.
func (e *Engine) outdate() {
	if s := e.cas.Load(); s != nil {
		old := *s
		old.at = time.Time{}
		e.cas.Store(&old)
	}
}

// look reads the issuers that have a key, and changes nothing.
func (e *Engine) look(ctx context.Context, list issuers) (*authorities, error) {
	s, above := &authorities{listed: list, at: e.opts.Now()}, &parents{engine: e, list: list}
	var all []*authority
	for _, i := range list.list {
		if i.key == "" { // somebody else's, above one of ours
			continue
		}
		said, readable, err := e.describe(ctx, i.ref)
		if err != nil {
			return nil, err
		}
		if i.key == unlisted && (readable && said.Key == "" || !readable && i.ref != list.main) {
			continue
		}
		chain, err := above.chain(ctx, said)
		if err != nil {
			return nil, err
		}
		a := newAuthority(chain)
		a.ref, a.readable, a.crls, a.own = i.ref, readable, said.CRLs, len(said.CRLs)+len(said.Certificates)+len(said.OCSP) > 0
		a.lists = a.lists && (!readable || strings.Contains(said.Usage, "crl-signing"))
		if former := e.cas.Load().of(i.ref); !readable && former != nil { // credentials that have ended change no address
			a.crls, a.own, a.lists = former.crls, former.own, former.lists
		}
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b *authority) int { // of several certificates for one key, the default one or the latest counts
		return cmp.Or(isMain(b, list)-isMain(a, list), b.cert().NotBefore.Compare(a.cert().NotBefore), strings.Compare(a.ref, b.ref))
	})
	before := ""
	if known := e.cas.Load(); known != nil {
		for _, a := range known.all {
			if a.first {
				before = a.id
			}
		}
	}
	first := firstOf(all, before)
	for _, a := range all {
		if s.find(a.id) != nil {
			continue
		}
		a.first = a.id == first
		if s.all = append(s.all, a); a.ref == list.main {
			s.active = a
		}
	}
	slices.SortStableFunc(s.all, func(a, b *authority) int {
		return cmp.Or(isMain(b, list)-isMain(a, list), a.cert().NotBefore.Compare(b.cert().NotBefore))
	})
	return s, nil
}

func isMain(a *authority, list issuers) int {
	if a.ref == list.main {
		return 1
	}
	return 0
}
