package config

import (
	"errors"
	"strconv"
	"strings"
)

// Rate is a rate limit: PerMinute in the long run, Burst at once. The zero
// Rate does not limit. Its text is "PerMinute/Burst", or "off".
type Rate struct {
	PerMinute int
	Burst     int
}

const off = "off"

var errRate = errors.New("must be like 600/100 (per minute/burst), or off")

// UnmarshalText reads the text form.
func (r *Rate) UnmarshalText(text []byte) error {
	if string(text) == off {
		*r = Rate{}
		return nil
	}
	perMinute, burst, ok := strings.Cut(string(text), "/")
	if !ok {
		return errRate
	}
	var err1, err2 error
	r.PerMinute, err1 = strconv.Atoi(perMinute)
	r.Burst, err2 = strconv.Atoi(burst)
	if err1 != nil || err2 != nil || r.PerMinute < 1 || r.Burst < 1 || r.PerMinute > 1e6 || r.Burst > 1e6 {
		return errRate
	}
	return nil
}

// MarshalText gives the text form.
func (r Rate) MarshalText() ([]byte, error) {
	if r == (Rate{}) {
		return []byte(off), nil
	}
	return []byte(strconv.Itoa(r.PerMinute) + "/" + strconv.Itoa(r.Burst)), nil
}
