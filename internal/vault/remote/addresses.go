package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/vault"
)

// Each CA's certificates name its own list. An issuer without addresses of its own has the mount's, whose
// list is another CA's once there are several: so all get theirs, the first one the addresses without an ID.

// firstOf returns the ID of the CA that the addresses without an ID belong to: the one that has them; or
// else, of those without addresses of their own, the one that was first when last seen; or else, of those that are
// not above another one, the default issuer, which is the first of all and had them in earlier versions, or the
// oldest. Empty: none.
func firstOf(all []*authority, before string) string {
	has := func(suffix func(*authority) string) func(*authority) bool {
		return func(a *authority) bool {
			return slices.ContainsFunc(a.crls, func(url string) bool { return strings.HasSuffix(url, suffix(a)) })
		}
	}
	var candidates []*authority
	for _, a := range all {
		if has(func(a *authority) string { return pathOf(a.id, true) })(a) {
			candidates = append(candidates, a)
		}
	}
	if len(candidates) == 0 {
		candidates = slices.DeleteFunc(slices.Clone(all), has(func(a *authority) string { return pathOf(a.id, false) }))
	}
	if len(candidates) == 0 {
		return ""
	}
	if slices.ContainsFunc(candidates, func(a *authority) bool { return a.id == before }) {
		return before
	}
	parent := func(a *authority) int {
		if slices.ContainsFunc(all, a.above) {
			return 1
		}
		return 0
	}
	other := func(a *authority) int {
		if a == all[0] {
			return 0
		}
		return 1
	}
	return slices.MinFunc(candidates, func(a, b *authority) int {
		return cmp.Or(parent(a)-parent(b), other(a)-other(b), a.cert().NotBefore.Compare(b.cert().NotBefore), strings.Compare(a.id, b.id))
	}).id
}

func pathOf(id string, first bool) string {
	crl, _ := vault.Addresses(id, first)
	return crl
}

// addresses are the settings of an issuer that put its addresses into certificates: all of them, since they
// replace all of the mount's.
func (o *Options) addresses(id string, first bool) []setting {
	crl, ca := vault.Addresses(id, first)
	ocsp := []string{}
	if o.OCSP {
		ocsp = []string{o.PublicBase + vault.OCSPPath}
	}
	return []setting{
		{"crl_distribution_points", []string{o.PublicBase + crl}},
		{"issuing_certificates", []string{o.PublicBase + ca}},
		{"ocsp_servers", ocsp},
	}
}

// issuerSettings are those of the CA that an issuer is.
func (o *Options) issuerSettings(name, ref, id string, first bool) settings {
	return settings{name, o.Mounts.PKI + "/issuer/" + ref, http.MethodPatch, append([]setting{
		{"leaf_not_after_behavior", "truncate"}, // no certificate outlives the CA, and none is refused for it
	}, o.addresses(id, first)...)}
}

// equip gives the CAs that have no addresses of their own theirs, such as one that an operator made: the
// first CA before the others, which are told from it by that. If the policy does not allow it, they stay so.
func (e *Engine) equip(ctx context.Context, s *authorities) error {
	order := slices.Clone(s.all)
	slices.SortStableFunc(order, func(a, b *authority) int {
		switch {
		case a.first == b.first:
			return 0
		case a.first:
			return -1
		}
		return 1
	})
	for _, a := range order {
		if a.own || !a.readable {
			continue
		}
		err := e.set(ctx, a, a.first)
		switch _, answered := errors.AsType[*refusal](err); {
		case forbidden(err):
			e.earlier(ctx)
			return nil
		case answered && !noAnswer(err): // its list is served all the same
			e.opts.Logger.WarnContext(ctx, "the CA has no addresses of its own in the vault, and does not get any", "ca", a.id, "error", err)
			return nil
		case err != nil:
			return err
		}
		e.opts.Logger.InfoContext(ctx, "the CA has got its addresses", "ca", a.id, "subject", a.cert().Subject, "first", a.first)
	}
	return nil
}

// set writes a CA's settings.
func (e *Engine) set(ctx context.Context, a *authority, first bool) error {
	w := e.opts.issuerSettings("", a.ref, a.id, first)
	body := map[string]any{}
	for _, s := range w.want {
		body[s.name] = sent(s.value)
	}
	if _, err := e.do(ctx, call{method: w.method, path: w.path, body: body}); err != nil {
		return err
	}
	crl, _ := vault.Addresses(a.id, first)
	a.own, a.crls, a.first = true, []string{e.opts.PublicBase + crl}, first
	return nil
}

// addressed reports whether a CA's certificates name a list of its own: with the mount's addresses,
// those of the first one do, too.
func (a *authority) addressed() bool { return a.first || a.own }

// unaddressed is the error of a CA that is not addressed.
func (e *Engine) unaddressed(a *authority) error {
	return unprepared(fmt.Sprintf("certificates of the CA %q would name another CA's list", a.cert().Subject.CommonName))
}
