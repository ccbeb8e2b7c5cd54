package remote

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// What keyward move needs beside the port.

// Takes checks that the vault can keep a document as it is; vault.ErrInvalid otherwise.
func (e *Engine) Takes(data vault.Data) error {
	if err := data.Check(); err != nil {
		return err
	}
	return checkNumbers(data)
}

// CRLNumber implements vault.Numbered.
func (e *Engine) CRLNumber(ctx context.Context, ca string) (number uint64, thisUpdate time.Time, err error) {
	list, _, err := e.stands(ctx, ca)
	if err != nil {
		return 0, time.Time{}, err
	}
	return list.Number.Uint64(), list.ThisUpdate, nil
}

// RaiseCRL implements vault.Numbered. It has the CRLs rebuilt again and again, those of the other CAs, too,
// since no path of the vault sets the number. A list without entries takes a millisecond, and each entry 50 µs more.
func (e *Engine) RaiseCRL(ctx context.Context, ca string, above uint64, each func(number uint64) error) error {
	for atOnce := uint64(1); ; atOnce = min(2*atOnce, raiseAtOnce) {
		list, _, err := e.stands(ctx, ca)
		if err != nil {
			return err
		}
		number := list.Number.Uint64()
		if err := vault.CheckRaise(number, above); err != nil {
			return err
		}
		if each != nil {
			if err := each(number); err != nil {
				return err
			}
		}
		if number > above {
			return nil
		}
		for range min(above+1-number, atOnce) {
			if err := e.build(ctx); err != nil {
				return err
			}
		}
	}
}

// raiseAtOnce is how many rebuilds there are at most before the list is read again.
const raiseAtOnce = 500

// Refused returns those of the wanted capabilities that the token lacks, each with its path.
func (e *Engine) Refused(ctx context.Context, want map[string][]string) ([]string, error) {
	paths := slices.Sorted(maps.Keys(want))
	body := map[string]any{"paths": paths}
	a, err := e.do(ctx, call{method: http.MethodPost, path: "sys/capabilities-self", body: body})
	if err != nil {
		return nil, err
	}
	said := map[string]any{}
	if err := a.decode(&said); err != nil {
		return nil, err
	}
	var refused []string
	for _, path := range paths {
		list, _ := said[path].([]any) // another form is none
		if slices.Contains(list, any("root")) {
			continue
		}
		for _, capability := range want[path] {
			if !slices.Contains(list, any(capability)) {
				refused = append(refused, capability+" "+path)
			}
		}
	}
	return refused, nil
}

// MoveRights are the capabilities, by path, that keyward move needs beyond those for setting up a
// vault without a CA of one's own; x stands for any name. What Vault lets anyone read, such as the
// list of issuers and the CRL, needs none. A list's path ends in a slash, as Vault requires.
func MoveRights(m Mounts) map[string][]string {
	m = m.named()
	return map[string][]string{
		m.KV + "/data/x":          {"create", "read", "update"}, // update: a second version, or one more try
		m.KV + "/metadata/":       {"list"},
		m.KV + "/metadata/x":      {"delete"}, // of the vault's mark
		m.KV + "/metadata/x/":     {"list"},
		m.PKI + "/certs/":         {"list"},
		m.PKI + "/config/ca":      {"update"},
		m.PKI + "/config/issuers": {"update"},
		m.PKI + "/crl/rotate":     {"read"},
		m.PKI + "/issuer/x":       {"patch", "read"},
		m.PKI + "/keys/import":    {"update"}, // of a CA that was only requested
		m.PKI + "/revoke":         {"update"},
	}
}
