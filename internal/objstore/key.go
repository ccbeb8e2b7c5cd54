package objstore

import (
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/keyward/keyward/internal/fault"
)

// Name is the part of a backup's key after the prefix:
// backup-<type>-<YYYYMMDD>-<HHMMSS>.enc (specification, "Backup file").
type Name struct {
	Type string    // full, database or vault
	At   time.Time // whole seconds, UTC
}

const stamp = "20060102-150405"

// Stem is the beginning of all backup names.
const Stem = "backup-"

var shape = regexp.MustCompile(`^backup-(full|database|vault)-([0-9]{8}-[0-9]{6})\.enc$`)

// Key returns the key of a backup.
func (n Name) Key(prefix string) string {
	return prefix + Stem + n.Type + "-" + n.At.UTC().Format(stamp) + ".enc"
}

// ParseName parses a key; false if it is no backup's.
func ParseName(prefix, key string) (Name, bool) {
	rest, ok := strings.CutPrefix(key, prefix)
	parts := shape.FindStringSubmatch(rest)
	if !ok || parts == nil {
		return Name{}, false
	}
	at, err := time.Parse(stamp, parts[2])
	return Name{parts[1], at}, err == nil
}

// Limits of keys: S3's, and file systems' for each part between slashes.
const (
	maxKey  = 1024
	maxPart = 255
	maxName = 64 // reserved for a name after the prefix
)

// CheckKey returns ErrInvalid, as a fault, for an invalid key.
func CheckKey(prefix, key string) error {
	if rest, ok := strings.CutPrefix(key, prefix); !ok || rest == "" || !sound(key, maxKey) {
		return fault.Invalid(fault.Wrong("key", "bad_object_key", "is not a file in this store; take one from the list of backups")).
			With(ErrInvalid)
	}
	return nil
}

// CheckPrefix returns what is wrong with the setting of that name: nothing, or one thing.
func CheckPrefix(field, prefix string) []fault.Field {
	if sound(prefix+"x", maxKey-maxName) && len(prefix[strings.LastIndexByte(prefix, '/')+1:]) <= maxPart-maxName {
		return nil
	}
	return []fault.Field{fault.Wrong(field, "bad_prefix", "must not start with a slash or have empty parts, "+
		"parts that start with a dot, backslashes or control characters; at most 191 bytes after the last slash "+
		"and 960 in total")}
}

// sound reports whether a key means the same to every store and proxy. A part that
// begins with a dot could lead upwards, or be an unfinished file.
func sound(key string, most int) bool {
	if len(key) > most || !utf8.ValidString(key) || strings.ContainsFunc(key, func(r rune) bool { return r == '\\' || unicode.IsControl(r) }) {
		return false
	}
	for part := range strings.SplitSeq(key, "/") {
		if part == "" || part[0] == '.' || len(part) > maxPart {
			return false
		}
	}
	return true
}
