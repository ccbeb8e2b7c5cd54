package applet

// field is one BER-TLV data object, with a tag of at most three bytes.
type field struct {
	tag   uint32
	value []byte
}

// fields is a list of data objects in the order of the message.
type fields []field

// parseFields parses a whole sequence of data objects. It fails on trailing bytes,
// truncated lengths and lengths of more than two bytes.
func parseFields(b []byte) (fields, bool) {
	var list fields
	for len(b) > 0 {
		f, rest, ok := parseField(b)
		if !ok {
			return nil, false
		}
		list, b = append(list, f), rest
	}
	return list, true
}

func parseField(b []byte) (field, []byte, bool) {
	tag, b, ok := parseTag(b)
	if !ok || len(b) == 0 {
		return field{}, nil, false
	}
	n, b := int(b[0]), b[1:]
	switch {
	case n < 0x80:
	case n == 0x81 && len(b) >= 1:
		n, b = int(b[0]), b[1:]
	case n == 0x82 && len(b) >= 2:
		n, b = int(b[0])<<8|int(b[1]), b[2:]
	default:
		return field{}, nil, false
	}
	if n > len(b) {
		return field{}, nil, false
	}
	return field{tag, b[:n]}, b[n:], true
}

func parseTag(b []byte) (uint32, []byte, bool) {
	if len(b) == 0 {
		return 0, nil, false
	}
	tag, b := uint32(b[0]), b[1:]
	if tag&0x1F != 0x1F {
		return tag, b, true
	}
	for range 2 {
		if len(b) == 0 {
			return 0, nil, false
		}
		tag = tag<<8 | uint32(b[0])
		more := b[0]&0x80 != 0
		b = b[1:]
		if !more {
			return tag, b, true
		}
	}
	return 0, nil, false
}

// get returns the first value of a tag, and whether there is one.
func (l fields) get(tag uint32) ([]byte, bool) {
	for _, f := range l {
		if f.tag == tag {
			return f.value, true
		}
	}
	return nil, false
}

// unwrap parses a message that is exactly one data object of a tag.
func unwrap(b []byte, tag uint32) (fields, bool) {
	f, rest, ok := parseField(b)
	if !ok || f.tag != tag || len(rest) != 0 {
		return nil, false
	}
	return parseFields(f.value)
}

// appendField appends one data object.
func appendField(b []byte, tag uint32, value []byte) []byte {
	switch {
	case tag > 0xFFFF:
		b = append(b, byte(tag>>16), byte(tag>>8), byte(tag))
	case tag > 0xFF:
		b = append(b, byte(tag>>8), byte(tag))
	default:
		b = append(b, byte(tag))
	}
	n := len(value)
	switch {
	case n < 0x80:
		b = append(b, byte(n))
	case n <= 0xFF:
		b = append(b, 0x81, byte(n))
	default:
		b = append(b, 0x82, byte(n>>8), byte(n))
	}
	return append(b, value...)
}

// object encodes one data object.
func object(tag uint32, value []byte) []byte { return appendField(nil, tag, value) }
