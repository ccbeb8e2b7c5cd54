package agent

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"log/slog"

	"github.com/keyward/keyward/internal/envelope"
)

// keyBits is the size of the agent's key (interface specification, "Limits").
const keyBits = 4096

// agentKey is the agent's key pair. Making one takes a second or more, so the
// server answers meanwhile and only what needs the key waits for it. The key
// lives in memory only and ends with the process.
type agentKey struct {
	done    chan struct{}
	private *rsa.PrivateKey
	public  string // PEM
	err     error
}

// newKey is a key that is not made yet.
func newKey() *agentKey { return &agentKey{done: make(chan struct{})} }

// start begins to make the key, or takes a ready one.
func (k *agentKey) start(ready *rsa.PrivateKey, log *slog.Logger) {
	k.private = ready
	go func() {
		defer close(k.done)
		k.make(log)
	}()
}

func (k *agentKey) make(log *slog.Logger) {
	if k.private == nil {
		if k.private, k.err = rsa.GenerateKey(rand.Reader, keyBits); k.err != nil {
			log.Error("no key could be made", "cause", k.err)
			return
		}
	}
	if k.public, k.err = envelope.EncodePublicKey(&k.private.PublicKey); k.err != nil {
		return
	}
	fingerprint, err := envelope.Fingerprint(&k.private.PublicKey)
	if k.err = err; err == nil {
		log.Info("the agent's key is ready; compare its fingerprint with the one that the page shows", "fingerprint", fingerprint)
	}
}

// wait waits for the key.
func (k *agentKey) wait(ctx context.Context) error {
	select {
	case <-k.done:
		return k.err
	case <-ctx.Done():
		return ctx.Err()
	}
}
