package custody

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// Lengths of generated secrets (contract, POST /api/hwkey).
const (
	digits             = 8
	managementKeyBytes = 24
)

// Generate returns a fresh random value: 8 digits for PIN and PUK, 24 bytes in hex
// for the management key. It rejects digits that a card with complexity rules would
// refuse (Yubico, "PIN complexity", firmware 5.7): fewer than four different digits,
// four in a row that ascend, descend or repeat, and the factory values.
func Generate(f piv.Field) (secret.String, error) {
	if f == piv.ManagementKey {
		return generateManagementKey()
	}
	bound := big.NewInt(100_000_000)
	for {
		n, err := rand.Int(rand.Reader, bound)
		if err != nil {
			return secret.String{}, fmt.Errorf("generate %s: %w", f, err)
		}
		s := fmt.Sprintf("%0*d", digits, n)
		if !trivial(s) {
			return secret.New(s), nil
		}
	}
}

func generateManagementKey() (secret.String, error) {
	for {
		b := make([]byte, managementKeyBytes)
		if _, err := rand.Read(b); err != nil {
			return secret.String{}, fmt.Errorf("generate management key: %w", err)
		}
		// A 3DES card refuses weak keys: the three DES keys must differ. The low bit of each
		// byte is DES parity and does not count.
		if !sameDES(b[:8], b[8:16]) && !sameDES(b[8:16], b[16:]) && !sameDES(b[:8], b[16:]) {
			return secret.New(hex.EncodeToString(b)), nil
		}
	}
}

func sameDES(a, b []byte) bool {
	for i := range a {
		if a[i]&0xfe != b[i]&0xfe {
			return false
		}
	}
	return true
}

// GenerateAll returns a fresh value for every field.
func GenerateAll() (map[piv.Field]secret.String, error) {
	fresh := map[piv.Field]secret.String{}
	for _, f := range piv.Fields {
		s, err := Generate(f)
		if err != nil {
			return nil, err
		}
		fresh[f] = s
	}
	return fresh, nil
}

// CheckChosenPIN rejects a PIN that does not have 6 to 8 digits or is the factory's.
// The card decides whether it is too simple (pin_refused).
func CheckChosenPIN(pin secret.String) error {
	s := pin.Reveal()
	if len(s) < 6 || len(s) > 8 || strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' }) {
		return fault.Invalid(fault.Wrong("pin", "bad_pin", "must have 6 to 8 digits"))
	}
	if s == piv.FactoryPIN {
		return fault.Invalid(fault.Wrong("pin", "factory_pin", "must not be the factory PIN, which everyone knows"))
	}
	return nil
}

func trivial(s string) bool {
	seen := map[byte]bool{}
	up, down, same := 1, 1, 1
	for i := range len(s) {
		seen[s[i]] = true
		if i == 0 {
			continue
		}
		up = next(up, s[i] == s[i-1]+1)
		down = next(down, s[i]+1 == s[i-1])
		same = next(same, s[i] == s[i-1])
		if up >= 4 || down >= 4 || same >= 4 {
			return true
		}
	}
	return len(seen) < 4 || s == piv.FactoryPIN || s == piv.FactoryPUK
}

func next(run int, goesOn bool) int {
	if goesOn {
		return run + 1
	}
	return 1
}
