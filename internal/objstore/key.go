package objstore

import (
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/keyward/keyward/internal/fault"
)

// Name is what a backup's key says behind the prefix:
// backup-<type>-<YYYYMMDD>-<HHMMSS>.enc (specification, "Backup file").
type Name struct {
	Type string    // full, database or vault
	At   time.Time // whole seconds, UTC
}

const stamp = "20060102-150405"

// Stem is what all names of backups begin with.
const Stem = "backup-"

var shape = regexp.MustCompile(`^backup-(full|database|vault)-([0-9]{8}-[0-9]{6})\.enc$`)

// Key is the key of a backup.
func (n Name) Key(prefix string) string {
	return prefix + Stem + n.Type + "-" + n.At.UTC().Format(stamp) + ".enc"
}

// ParseName reads a key; false when it is no backup's.
func ParseName(prefix, key string) (Name, bool) {
	rest, ok := strings.CutPrefix(key, prefix)
	parts := shape.FindStringSubmatch(rest)
	if !ok || parts == nil {
		return Name{}, false
	}
	at, err := time.Parse(stamp, parts[2])
	return Name{parts[1], at}, err == nil
}

// Limits of keys: S3's, and those of file systems for each part between slashes.
const (
	maxKey  = 1024
	maxPart = 255
	maxName = 64 // what is left for a name behind the prefix
)

// CheckKey answers ErrInvalid, as a fault, for what is no key of a store.
func CheckKey(prefix, key string) error {
	if rest, ok := strings.CutPrefix(key, prefix); !ok || rest == "" || !sound(key, maxKey) {
		return fault.Invalid(fault.Wrong("key", "bad_object_key", "is not a file in this store; take one from the list of backups")).
			With(ErrInvalid)
	}
	return nil
}

// CheckPrefix tells what is wrong with the setting of that name: nothing, or one
// thing.
func CheckPrefix(field, prefix string) []fault.Field {
	if sound(prefix+"x", maxKey-maxName) && len(prefix[strings.LastIndexByte(prefix, '/')+1:]) <= maxPart-maxName {
		return nil
	}
	return []fault.Field{fault.Wrong(field, "bad_prefix", "must not start with a slash or have empty parts, "+
		"parts that start with a dot, backslashes or control characters; at most 191 bytes after the last slash "+
		"and 960 in total")}
}

// sound tells whether a key means the same to every store and to every proxy before
// it. A part that begins with a dot is a way up, or a file under way.
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
