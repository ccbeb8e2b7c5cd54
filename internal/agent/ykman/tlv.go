package ykman

import "errors"

// errTLV means that bytes are not a sequence of BER-TLV objects.
var errTLV = errors.New("malformed BER-TLV data")

// tlvs parses a sequence of BER-TLV objects (ISO/IEC 7816-4, section 5.2.2) with
// the tags of one or two bytes and lengths of up to three bytes that PIV uses.
// The last of several equal tags counts.
func tlvs(b []byte) (map[uint16][]byte, error) {
	m := map[uint16][]byte{}
	for len(b) > 0 {
		tag, rest := uint16(b[0]), b[1:]
		if tag&0x1f == 0x1f {
			if len(rest) == 0 || rest[0]&0x80 != 0 {
				return nil, errTLV
			}
			tag, rest = tag<<8|uint16(rest[0]), rest[1:]
		}
		n, rest, err := tlvLength(rest)
		if err != nil || n > len(rest) {
			return nil, errTLV
		}
		m[tag], b = rest[:n], rest[n:]
	}
	return m, nil
}

func tlvLength(b []byte) (int, []byte, error) {
	if len(b) == 0 {
		return 0, nil, errTLV
	}
	first, b := b[0], b[1:]
	if first < 0x80 {
		return int(first), b, nil
	}
	size := int(first & 0x7f)
	if size < 1 || size > 3 || len(b) < size {
		return 0, nil, errTLV
	}
	n := 0
	for _, o := range b[:size] {
		n = n<<8 | int(o)
	}
	return n, b[size:], nil
}
