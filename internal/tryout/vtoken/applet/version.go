package applet

import (
	"errors"

	"github.com/keyward/keyward/internal/piv"
)

// DefaultFirmware is the version of a card created without one.
var DefaultFirmware = piv.Version{5, 4, 3}

// ParseFirmware parses a version that the card imitates: 5.0.0 or later.
func ParseFirmware(text string) (piv.Version, error) {
	v, err := piv.ParseVersion(text)
	if err == nil && !imitates(v) {
		err = errors.New("must be 5.0.0 or later")
	}
	return v, err
}

func imitates(v piv.Version) bool { return v.AtLeast(piv.Version{5, 0, 0}) }
