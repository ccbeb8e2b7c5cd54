package ykman

import (
	"context"
	"encoding/hex"
	"errors"
	"strings"
)

// response is one response of the card (ISO/IEC 7816-4, section 5.1).
type response struct {
	data []byte
	sw   uint16
}

const (
	swOK       = 0x9000
	swNotFound = 0x6a82 // no such object
)

func (r response) ok() bool { return r.sw == swOK }

// errAPDU means that the output of "ykman apdu" is not as expected.
var errAPDU = errors.New("the output of ykman apdu is not understood")

// transmit selects the PIV application, sends APDUs and returns one response for
// each. They must hold no secret, since they appear in the argument vector.
func (d *Driver) transmit(ctx context.Context, serial string, apdus ...string) ([]response, error) {
	args, err := on(serial, append([]string{"apdu", "--no-pretty", "--app", "piv"}, apdus...)...)
	if err != nil {
		return nil, err
	}
	s := step{name: "apdu", serial: serial, harmless: true}
	out, err := d.run(ctx, call{args: args, timeout: readTimeout})
	if err != nil {
		return nil, d.classify(err, s)
	}
	rs, err := parseAPDUs(string(out))
	if err == nil && len(rs) != len(apdus)+1 { // the first is the response to SELECT
		err = errAPDU
	}
	if err != nil {
		return nil, d.classify(&failure{exit: 1, text: err.Error()}, s)
	}
	return rs[1:], nil
}

// parseAPDUs parses the output of "ykman apdu --no-pretty": for each response a
// line RECV (SW=9000), with a colon when a line of hex follows.
func parseAPDUs(out string) ([]response, error) {
	var rs []response
	expectData := false
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if expectData {
			data, err := hex.DecodeString(line)
			if err != nil {
				return nil, errAPDU
			}
			rs[len(rs)-1].data = data
			expectData = false
			continue
		}
		rest, ok := strings.CutPrefix(line, "RECV (SW=")
		if !ok {
			continue
		}
		sw, tail, ok := strings.Cut(rest, ")")
		raw, err := hex.DecodeString(sw)
		if !ok || err != nil || len(raw) != 2 || (tail != "" && tail != ":") {
			return nil, errAPDU
		}
		rs = append(rs, response{sw: uint16(raw[0])<<8 | uint16(raw[1])})
		expectData = tail == ":"
	}
	if expectData {
		return nil, errAPDU
	}
	return rs, nil
}
