package pki

import (
	"context"
	"encoding/pem"
	"fmt"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
)

// CA returns the issuing certificate, PEM.
func (c *CRLCache) CA(ctx context.Context) ([]byte, error) {
	chain, err := c.chainDER(ctx)
	if err != nil {
		return nil, err
	}
	return pemOf(chain[:1]), nil
}

// IssuerDER returns the issuing certificate, DER.
func (c *CRLCache) IssuerDER(ctx context.Context) ([]byte, error) {
	chain, err := c.chainDER(ctx)
	if err != nil {
		return nil, err
	}
	return chain[0], nil
}

// Chain returns the issuing certificate and those above it, PEM, root last.
func (c *CRLCache) Chain(ctx context.Context) ([]byte, error) {
	chain, err := c.chainDER(ctx)
	if err != nil {
		return nil, err
	}
	return pemOf(chain), nil
}

func (c *CRLCache) chainDER(ctx context.Context) ([][]byte, error) {
	chain, err := c.presentChain(ctx)
	if err == nil {
		return chain, nil
	}
	if kept := c.lastChain(ctx); kept != nil {
		return kept, nil
	}
	return nil, fault.New(fault.VaultUnavailable, "ca", "The CA certificate is not available right now. Try again shortly.").With(err)
}

// presentChain returns the vault's own chain.
func (c *CRLCache) presentChain(ctx context.Context) ([][]byte, error) {
	if chain := c.chain.Load(); chain != nil {
		return *chain, nil
	}
	chain, err := c.PKI.Chain(ctx)
	if err != nil {
		return nil, err
	}
	if len(chain) == 0 {
		return nil, fmt.Errorf("%w: its chain is empty", vault.ErrUnavailable)
	}
	c.chain.Store(&chain)
	return chain, nil
}

func pemOf(ders [][]byte) []byte {
	var out []byte
	for _, der := range ders {
		out = append(out, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	return out
}
