package applet

import (
	"errors"
	"fmt"
)

// Version is a firmware version, major.minor.patch.
type Version [3]byte

// DefaultFirmware is the version of a card made without one.
var DefaultFirmware = Version{5, 4, 3}

// Firmware versions that changed the card's behaviour (Yubico's release notes).
var (
	oldestFirmware  = Version{5, 0, 0}
	sinceMetadata   = Version{5, 3, 0}
	sinceAES        = Version{5, 4, 0}
	sinceLargerKeys = Version{5, 7, 0} // RSA 3072 and 4096, Ed25519, X25519, MOVE KEY
)

// ParseVersion reads "5.4.3". The zero value and an error come back for
// anything else, and for firmware that the card does not imitate (before 5.0.0).
func ParseVersion(text string) (Version, error) {
	var v Version
	var rest string
	n, _ := fmt.Sscanf(text, "%d.%d.%d%s", &v[0], &v[1], &v[2], &rest)
	if n != 3 {
		return Version{}, errors.New("firmware must be three numbers up to 255, such as 5.4.3")
	}
	if !v.atLeast(oldestFirmware) {
		return Version{}, errors.New("firmware must be 5.0.0 or later")
	}
	return v, nil
}

// String gives the usual form, "5.4.3".
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }

// MarshalText writes the usual form into the state file.
func (v Version) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the usual form from the state file.
func (v *Version) UnmarshalText(text []byte) error {
	parsed, err := ParseVersion(string(text))
	*v = parsed
	return err
}

func (v Version) atLeast(other Version) bool {
	for i := range v {
		if v[i] != other[i] {
			return v[i] > other[i]
		}
	}
	return true
}
