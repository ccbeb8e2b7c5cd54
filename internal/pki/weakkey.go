package pki

import (
	"crypto/rsa"
	"math/big"
	"sync"
)

// smallPrimes are the odd primes below 752, the range that CAs commonly test.
var smallPrimes = sync.OnceValue(func() []uint64 {
	var primes []uint64
	for n := uint64(3); n < 752; n += 2 {
		if prime(n) {
			primes = append(primes, n)
		}
	}
	return primes
})

func prime(n uint64) bool {
	for d := uint64(3); d*d <= n; d += 2 {
		if n%d == 0 {
			return false
		}
	}
	return n > 2
}

// residueGroup is a product of small primes that fits a word: one long
// division gives the residues for all of them.
type residueGroup struct {
	product *big.Int
	primes  []uint64
}

var residueGroups = sync.OnceValue(func() []residueGroup {
	var groups []residueGroup
	product := uint64(1)
	var members []uint64
	flush := func() {
		groups = append(groups, residueGroup{new(big.Int).SetUint64(product), members})
		product, members = 1, nil
	}
	for _, p := range smallPrimes() {
		if product > (1<<63)/p {
			flush()
		}
		product *= p
		members = append(members, p)
	}
	flush()
	return groups
})

// rocaSubgroups holds the powers of 65537 modulo the primes that distinguish ROCA keys.
// A vulnerable key's primes are k·M + (65537^a mod M), with M the product of
// the first primes; so its modulus is a power of 65537 modulo each of them
// (Nemec et al., "The Return of Coppersmith's Attack", 2017). Primes where
// 65537 generates everything tell nothing and are left out. Those up to 167
// divide the M of every key size; a sound key passes all by chance about once
// in 2^27.
var rocaSubgroups = sync.OnceValue(func() *[168][]bool {
	groups := &[168][]bool{}
	for _, p := range smallPrimes() {
		if p > 167 {
			break
		}
		in, order := make([]bool, p), uint64(0)
		for x := uint64(1); !in[x]; x = x * 65537 % p {
			in[x] = true
			order++
		}
		if order < p-1 {
			groups[p] = in
		}
	}
	return groups
})

// roca is weakRSA's answer for a key with the ROCA weakness.
const roca = "it has the ROCA weakness"

// weakRSA says what is wrong with an RSA modulus, or "".
func weakRSA(key *rsa.PublicKey) string {
	n := key.N
	if n.Bit(0) == 0 {
		return "its modulus is even"
	}
	suspect := true
	quotient, residue := new(big.Int), new(big.Int) // Mod would make a quotient each time
	subgroups := rocaSubgroups()
	for _, g := range residueGroups() {
		quotient.QuoRem(n, g.product, residue)
		r := residue.Uint64()
		for _, p := range g.primes {
			if r%p == 0 {
				return "its modulus has a small factor"
			}
			if suspect && p < uint64(len(subgroups)) && subgroups[p] != nil && !subgroups[p][r%p] {
				suspect = false
			}
		}
	}
	if suspect {
		return roca
	}
	if closePrimes(n) {
		return "its primes lie too close together"
	}
	return ""
}

// fermatRounds bounds closePrimes: keys of the known weak generator (CVE-2022-26320) fall in the
// first rounds.
const fermatRounds = 100

// closePrimes tries Fermat's factorization: n = a² - b² with a just above √n. A square root of a
// thousand bits costs as much as a signature, so residues first rule out values of a² - n that
// cannot be squares.
func closePrimes(n *big.Int) bool {
	a := new(big.Int).Sqrt(n)
	if new(big.Int).Mul(a, a).Cmp(n) != 0 {
		a.Add(a, big.NewInt(1))
	}
	may := newSieve(a, n)
	next, b2, root := new(big.Int), new(big.Int), new(big.Int)
	for k := range uint64(fermatRounds) {
		if !may.square(k) {
			continue
		}
		next.Add(a, next.SetUint64(k))
		b2.Sub(b2.Mul(next, next), n)
		root.Sqrt(b2)
		if next.Mul(root, root).Cmp(b2) == 0 {
			return true
		}
	}
	return false
}

// squares has bit i set where i is a square modulo 64.
const squares = 1<<0 | 1<<1 | 1<<4 | 1<<9 | 1<<16 | 1<<17 | 1<<25 | 1<<33 | 1<<36 | 1<<41 | 1<<49 | 1<<57

// sievePrimes are the odd primes whose product fits a word.
var sievePrimes = [...]uint64{3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53}

// residues holds, for each of these primes, which numbers are squares modulo
// it.
var residues = sync.OnceValue(func() *[len(sievePrimes)][54]bool {
	var tables [len(sievePrimes)][54]bool
	for i, p := range sievePrimes {
		for x := range p {
			tables[i][x*x%p] = true
		}
	}
	return &tables
})

var residueProduct = sync.OnceValue(func() *big.Int {
	product := uint64(1)
	for _, p := range sievePrimes {
		product *= p
	}
	return new(big.Int).SetUint64(product)
})

// sieve tells which of (a+k)² - n may be squares.
type sieve struct {
	lowA, lowN uint64 // modulo 64, and more
	a, n       [len(sievePrimes)]uint64
}

func newSieve(a, n *big.Int) *sieve {
	r := new(big.Int)
	restA, restN := r.Mod(a, residueProduct()).Uint64(), r.Mod(n, residueProduct()).Uint64()
	s := &sieve{lowA: low(a), lowN: low(n)}
	for i, p := range sievePrimes {
		s.a[i], s.n[i] = restA%p, restN%p
	}
	return s
}

func low(n *big.Int) uint64 {
	if words := n.Bits(); len(words) > 0 {
		return uint64(words[0])
	}
	return 0
}

func (s *sieve) square(k uint64) bool {
	x := s.lowA + k
	if uint64(squares)>>((x*x-s.lowN)&63)&1 == 0 {
		return false
	}
	tables := residues()
	for i, p := range sievePrimes {
		x := s.a[i] + k
		if !tables[i][(x*x+p-s.n[i])%p] {
			return false
		}
	}
	return true
}
