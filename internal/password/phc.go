package password

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"
)

// Parameters are the cost of an Argon2id hash.
type Parameters struct {
	MemoryKiB uint32
	Passes    uint32
	Threads   uint8
}

// DefaultParameters are those of the specification, "Authentication": 64 MiB,
// one pass, four threads.
func DefaultParameters() Parameters {
	return Parameters{MemoryKiB: 64 << 10, Passes: 1, Threads: 4}
}

// Bounds of a stored hash. It comes from the database, and may come from a
// backup or an import: none may exhaust the server's memory.
const (
	maxMemoryKiB = 1 << 20
	maxPasses    = 10
	maxThreads   = 16
	minSalt      = 8
	maxSalt      = 64
	minKey       = 16
	maxKey       = 64
)

// Sizes of new hashes (specification, "Authentication").
const (
	keyBytes  = 32
	saltBytes = 16
)

// phc is a parsed hash of the PHC string format.
type phc struct {
	Parameters
	salt, key []byte
}

// encode writes the PHC string format.
func (h phc) encode() string {
	b := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, h.MemoryKiB, h.Passes, h.Threads, b.EncodeToString(h.salt), b.EncodeToString(h.key))
}

// errHash says what is wrong without showing any of the hash.
var errHash = errors.New("password hash: not an Argon2id hash in PHC form within the bounds (1 GiB, 10 passes, 16 threads)")

// decode reads exactly what encode writes, with any parameters within bounds.
func decode(text string) (phc, error) {
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != "v="+strconv.Itoa(argon2.Version) {
		return phc{}, errHash
	}
	costs := strings.Split(parts[3], ",")
	if len(costs) != 3 {
		return phc{}, errHash
	}
	m, ok1 := cost(costs[0], "m=", maxMemoryKiB)
	t, ok2 := cost(costs[1], "t=", maxPasses)
	p, ok3 := cost(costs[2], "p=", maxThreads)
	if !ok1 || !ok2 || !ok3 || m < 8*p { // RFC 9106, section 3.1
		return phc{}, errHash
	}
	h := phc{Parameters: Parameters{MemoryKiB: m, Passes: t, Threads: uint8(p)}}
	var err1, err2 error
	h.salt, err1 = base64.RawStdEncoding.Strict().DecodeString(parts[4])
	h.key, err2 = base64.RawStdEncoding.Strict().DecodeString(parts[5])
	if err1 != nil || err2 != nil || len(h.salt) < minSalt || len(h.salt) > maxSalt || len(h.key) < minKey || len(h.key) > maxKey ||
		h.encode() != text { // the decoder ignores line breaks
		return phc{}, errHash
	}
	return h, nil
}

// cost reads name=N, with N from 1 to most, without leading zeros or sign.
func cost(text, name string, most uint64) (uint32, bool) {
	digits, ok := strings.CutPrefix(text, name)
	n, err := strconv.ParseUint(digits, 10, 32)
	return uint32(n), ok && err == nil && n >= 1 && n <= most && strconv.FormatUint(n, 10) == digits
}

// compute does the work, using MemoryKiB of memory until it returns.
func (p Parameters) compute(password string, salt []byte, size int) []byte {
	return argon2.IDKey([]byte(password), salt, p.Passes, p.MemoryKiB, p.Threads, uint32(size))
}
