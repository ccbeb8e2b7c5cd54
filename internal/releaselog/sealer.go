package releaselog

import (
	"crypto/rsa"
	"fmt"
	"slices"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// Sealer encrypts the values of one release. Log.Record alone makes a usable one.
type Sealer struct {
	key    *rsa.PublicKey
	serial string
	fields []piv.Field
}

// Seal encrypts a value of one of the release's fields for its agent; see
// agentkey.Seal. A field that was not recorded is an error.
func (s *Sealer) Seal(f piv.Field, value secret.String) (backend.Sealed, error) {
	if !slices.Contains(s.fields, f) {
		return "", fmt.Errorf("seal: the release of %s was not recorded", f)
	}
	text, err := agentkey.Seal(s.key, s.serial, f, value)
	return backend.Sealed(text), err
}

// SealAll is Seal for several fields.
func (s *Sealer) SealAll(values map[piv.Field]secret.String) (sealed backend.SealedFields, err error) {
	for f, value := range values {
		text, err := s.Seal(f, value)
		if err != nil {
			return backend.SealedFields{}, err
		}
		sealed.Set(f, text)
	}
	return sealed, nil
}
