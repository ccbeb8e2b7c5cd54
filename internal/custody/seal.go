package custody

import (
	"context"
	"crypto/rsa"
	"fmt"
	"slices"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// Sealer encrypts the values of one release for its agent. NewSealer alone makes one.
type Sealer struct {
	key    *rsa.PublicKey
	serial string
	fields []piv.Field
}

// NewSealer has the vault log a release, and returns what seals its values. written is the
// release's audit entry as the database says that it wrote it; see
// intentlog.Releases.Record, whose errors it returns. After any of them nothing may leave.
func NewSealer(ctx context.Context, log *intentlog.Releases, r intentlog.Release, written audit.Entry) (*Sealer, error) {
	if err := log.Record(ctx, r, written); err != nil {
		return nil, err
	}
	return &Sealer{key: r.Key, serial: r.Serial, fields: slices.Clone(r.Fields)}, nil
}

// Secrets seals the current and pending values of the release's fields, and if asked,
// what a probe of the card should try.
func (s *Sealer) Secrets(state State, candidates bool) (out backend.SecretsAnswer, err error) {
	out = backend.SecretsAnswer{Encrypted: true, Serial: s.serial, Version: state.Version}
	current, pending := state.Document.currentAndPending(s.fields)
	if out.SealedFields, err = s.all(current); err != nil {
		return backend.SecretsAnswer{}, err
	}
	if rotation := state.Document.Rotation; rotation != nil {
		out.Pending = &backend.PendingSecrets{RotationID: rotation.ID}
		if out.Pending.SealedFields, err = s.all(pending); err != nil {
			return backend.SecretsAnswer{}, err
		}
	}
	if !candidates {
		return out, nil
	}
	out.Candidates = map[piv.Field][]backend.Candidate{}
	for _, f := range s.fields {
		for _, c := range state.Document.Candidates(f) {
			text, err := s.seal(f, c.Value)
			if err != nil {
				return backend.SecretsAnswer{}, err
			}
			out.Candidates[f] = append(out.Candidates[f], backend.Candidate{Kind: backend.Kind(c.Kind), Value: text})
		}
		if state.Document.Doubted(f) {
			out.Doubted = append(out.Doubted, f)
		}
	}
	return out, nil
}

// Rotation seals the values of the document's open rotation.
func (s *Sealer) Rotation(state State) (backend.Rotation, error) {
	r := state.Document.Rotation
	out := backend.Rotation{ID: r.ID, Serial: s.serial, Fields: r.Fields, CreatedAt: r.CreatedAt.UTC(), Version: state.Version}
	current, next := state.Document.currentAndPending(r.Fields)
	var err error
	if out.Current, err = s.all(current); err != nil {
		return backend.Rotation{}, err
	}
	if out.Next, err = s.all(next); err != nil {
		return backend.Rotation{}, err
	}
	return out, nil
}

// currentAndPending returns the values of these fields; few have a pending one.
func (d Document) currentAndPending(fields []piv.Field) (current, pending map[piv.Field]secret.String) {
	current, pending = map[piv.Field]secret.String{}, map[piv.Field]secret.String{}
	for _, f := range fields {
		v := d.Fields[f]
		current[f] = v.Current
		if !v.Pending.Empty() {
			pending[f] = v.Pending
		}
	}
	return current, pending
}

func (s *Sealer) all(values map[piv.Field]secret.String) (sealed backend.SealedFields, err error) {
	for f, value := range values {
		text, err := s.seal(f, value)
		if err != nil {
			return backend.SealedFields{}, err
		}
		sealed.Set(f, text)
	}
	return sealed, nil
}

// seal encrypts the value of a field that was recorded; see agentkey.Seal.
func (s *Sealer) seal(f piv.Field, value secret.String) (backend.Sealed, error) {
	if !slices.Contains(s.fields, f) {
		return "", fmt.Errorf("seal: the release of %s was not recorded", f)
	}
	text, err := agentkey.Seal(s.key, s.serial, f, value)
	return backend.Sealed(text), err
}
