package agent

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"log/slog"

	"github.com/keyward/keyward/internal/agentkey"
)

// keyBits is the size of the agent's key (interface specification, "Limits").
const keyBits = 4096

// agentKey is the agent's key pair. Generating one takes a second or more;
// meanwhile the server answers requests, and only what needs the key waits. The
// key lives in memory and ends with the process.
type agentKey struct {
	done        chan struct{}
	private     crypto.Decrypter // RSA
	public      string           // PEM
	fingerprint string
	err         error
}

// newKey returns a key that is not generated yet.
func newKey() *agentKey { return &agentKey{done: make(chan struct{})} }

// start starts generating the key, or takes a ready one.
func (k *agentKey) start(ready crypto.Decrypter, log *slog.Logger) {
	k.private = ready
	go func() {
		defer close(k.done)
		k.make(log)
	}()
}

func (k *agentKey) make(log *slog.Logger) {
	if k.private == nil {
		made, err := rsa.GenerateKey(rand.Reader, keyBits)
		if err != nil {
			log.Error("could not create a key", "cause", err)
			k.err = err
			return
		}
		k.private = made
	}
	public := k.private.Public().(*rsa.PublicKey)
	if k.public, k.err = agentkey.EncodePublicKey(public); k.err != nil {
		return
	}
	if k.fingerprint, k.err = agentkey.Fingerprint(public); k.err == nil {
		log.Info("the agent's key is ready", "fingerprint", k.fingerprint, "code", agentkey.VerificationCode(k.fingerprint))
	}
}

func (k *agentKey) wait(ctx context.Context) error {
	select {
	case <-k.done:
		return k.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// signer is the user's identity, which signs the agent's key.
type signer struct {
	key    ed25519.PrivateKey
	public string // PEM
	code   string
}

func newSigner(key ed25519.PrivateKey) (signer, error) {
	if len(key) != ed25519.PrivateKeySize {
		return signer{}, errors.New("there is no identity")
	}
	public := key.Public()
	text, err := agentkey.EncodePublicKey(public)
	if err != nil {
		return signer{}, err
	}
	fingerprint, err := agentkey.Fingerprint(public)
	return signer{key, text, agentkey.VerificationCode(fingerprint)}, err
}
