package hwkey

import (
	"strings"

	"github.com/keyward/keyward/internal/piv"
)

// Below returns those of the versions that are before FirmwareBelow.
func (f Filter) Below(versions []string) []string {
	limit, err := versionBelow(f.FirmwareBelow)
	if err != nil {
		return nil
	}
	var below []string
	for _, text := range versions {
		if v, err := piv.ParseVersion(text); err == nil && !v.AtLeast(limit) {
			below = append(below, text)
		}
	}
	return below
}

// versionBelow parses a version of one to three numbers.
func versionBelow(text string) (piv.Version, error) {
	return piv.ParseVersion(text + strings.Repeat(".0", max(0, 2-strings.Count(text, "."))))
}
