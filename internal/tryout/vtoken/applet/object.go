package applet

import (
	"bytes"
	"fmt"
	"strconv"
)

// objectID is the tag of a data object (SP 800-73-4 part 1, table 3).
type objectID uint32

const (
	objDiscovery   objectID = 0x7E
	objFirst       objectID = 0x5F0000 // the range that a YubiKey stores
	objLast        objectID = 0x5FFFFF
	objAttestation objectID = 0x5FFF01 // certificate of slot F9 (Yubico)

	tagList = 0x5C
	tagData = 0x53
)

// MarshalText encodes the tag in hex for the state file.
func (id objectID) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%06x", uint32(id)), nil }

// UnmarshalText decodes the tag from the state file.
func (id *objectID) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 16, 32)
	*id = objectID(n)
	return err
}

// needsPIN lists the objects that are readable only after VERIFY: fingerprints, face,
// printed information, iris and pairing code. ykman stores a protected management key
// in the printed information.
func (id objectID) needsPIN() bool {
	switch id {
	case 0x5FC103, 0x5FC108, 0x5FC109, 0x5FC121, 0x5FC123:
		return true
	}
	return false
}

// getData is GET DATA (SP 800-73-4 part 2, 3.1.2).
func (c *Card) getData(cmd Command) ([]byte, Status) {
	if cmd.P1 != 0x3F || cmd.P2 != 0xFF {
		return nil, WrongParameters
	}
	list, ok := parseFields(cmd.Data)
	if !ok || len(list) != 1 || list[0].tag != tagList {
		return nil, WrongData
	}
	id, ok := parseObjectID(list[0].value)
	switch {
	case !ok:
		return nil, WrongData
	case id == objDiscovery:
		return discovery(), OK
	case id.needsPIN() && !c.session.pinVerified:
		return nil, SecurityNotSatisfied
	}
	data, ok := c.state.Objects[id]
	if !ok {
		return nil, NotFound
	}
	return object(tagData, data), OK
}

// putData is PUT DATA (3.3.2). Empty data removes the object.
func (c *Card) putData(cmd Command) Status {
	if cmd.P1 != 0x3F || cmd.P2 != 0xFF {
		return WrongParameters
	}
	if !c.session.managed {
		return SecurityNotSatisfied
	}
	list, ok := parseFields(cmd.Data)
	if !ok || len(list) != 2 || list[0].tag != tagList || list[1].tag != tagData {
		return WrongData
	}
	id, ok := parseObjectID(list[0].value)
	data := bytes.Clone(list[1].value)
	switch {
	case !ok || id < objFirst || id > objLast:
		return WrongData
	case len(data) > maxObject:
		return NoSpace
	}
	return c.update(func(s *state) {
		if len(data) == 0 {
			delete(s.Objects, id)
			return
		}
		s.Objects[id] = data
	})
}

func parseObjectID(b []byte) (objectID, bool) {
	if len(b) == 0 || len(b) > 3 {
		return 0, false
	}
	var id objectID
	for _, x := range b {
		id = id<<8 | objectID(x)
	}
	return id, true
}

// discovery is the Discovery Object (part 1, 3.3.2): the application, and a
// usage policy with the application PIN only.
func discovery() []byte {
	return object(uint32(objDiscovery), append(object(0x4F, aidPIV), object(0x5F2F, []byte{0x40, 0x00})...))
}
