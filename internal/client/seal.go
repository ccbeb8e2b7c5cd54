package client

import (
	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// Seal encrypts a typed value for the agent with this public key (PEM), as the server
// seals what it releases.
func Seal(publicKey, serial string, f piv.Field, value secret.String) (Sealed, error) {
	key, err := agentkey.ParsePublicKey(publicKey)
	if err != nil {
		return "", err
	}
	sealed, err := agentkey.Seal(key, serial, f, value)
	return Sealed(sealed), err
}
