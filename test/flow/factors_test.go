package flow_test

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"io"
	"math/big"
	"testing"
)

// factors is a 4096-bit RSA key whose modulus has sixteen primes. It decrypts like any
// other key of that size (RFC 8017, section 7.1.2), in a tenth of the time: the flows
// open some thousand secrets, which took half of the total time. It is not a key to
// protect secrets.
type factors struct {
	public rsa.PublicKey
	parts  []factor
}

type factor struct{ prime, exponent, coefficient *big.Int }

func newFactors(t *testing.T) *factors {
	t.Helper()
	for {
		if k := tryFactors(t); k != nil {
			return k
		}
	}
}

// tryFactors returns nil when the primes' product has the wrong size, or a prime does
// not fit the exponent.
func tryFactors(t *testing.T) *factors {
	t.Helper()
	const bits, primes, e = 4096, 16, 65537
	n, one := big.NewInt(1), big.NewInt(1)
	k := &factors{}
	for left := primes; left > 0; left-- {
		p, err := rand.Prime(rand.Reader, (bits-n.BitLen())/left)
		must(t, err)
		d := new(big.Int).ModInverse(big.NewInt(e), new(big.Int).Sub(p, one))
		if d == nil || new(big.Int).GCD(nil, nil, n, p).Cmp(one) != 0 {
			return nil
		}
		n.Mul(n, p)
		k.parts = append(k.parts, factor{prime: p, exponent: d})
	}
	if n.BitLen() != bits {
		return nil
	}
	for i, f := range k.parts {
		others := new(big.Int).Div(n, f.prime)
		k.parts[i].coefficient = others.Mul(others, new(big.Int).ModInverse(others, f.prime))
	}
	k.public = rsa.PublicKey{N: n, E: e}
	return k
}

func (k *factors) Public() crypto.PublicKey { return &k.public }

// Decrypt opens RSA-OAEP with SHA-256.
func (k *factors) Decrypt(_ io.Reader, sealed []byte, opts crypto.DecrypterOpts) ([]byte, error) {
	if len(sealed) != k.public.Size() {
		return nil, errors.New("of another size")
	}
	c, m := new(big.Int).SetBytes(sealed), new(big.Int)
	for _, f := range k.parts {
		part := new(big.Int).Exp(new(big.Int).Mod(c, f.prime), f.exponent, f.prime)
		m.Add(m, part.Mul(part, f.coefficient))
	}
	block := m.Mod(m, k.public.N).FillBytes(make([]byte, len(sealed)))
	seed, data := block[1:1+sha256.Size], block[1+sha256.Size:]
	mask(seed, data)
	mask(data, seed)
	label := sha256.Sum256(opts.(*rsa.OAEPOptions).Label)
	rest, ours := bytes.CutPrefix(data, label[:])
	padding, plain, ends := bytes.Cut(rest, []byte{1})
	if block[0] != 0 || !ours || !ends || len(bytes.Trim(padding, "\x00")) != 0 {
		return nil, rsa.ErrDecryption
	}
	return plain, nil
}

// mask XORs MGF1 of a seed onto data.
func mask(data, seed []byte) {
	for n := uint32(0); len(data) > 0; n++ {
		block := sha256.Sum256(binary.BigEndian.AppendUint32(bytes.Clone(seed), n))
		data = data[subtle.XORBytes(data, data, block[:min(len(data), len(block))]):]
	}
}
