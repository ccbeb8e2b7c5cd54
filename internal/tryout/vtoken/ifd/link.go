package ifd

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Card is the card in a reader.
type Card interface {
	// Transmit answers one APDU; nil means that the card lost its power.
	Transmit(apdu []byte) []byte
	PowerOn()
	PowerOff()
}

// ATR makes ykman and OpenSC see a YubiKey 5 on USB.
var ATR = []byte{
	0x3B, 0xFD, 0x13, 0x00, 0x00, 0x81, 0x31, 0xFE, 0x15, 0x80, 0x73, 0xC0,
	0x21, 0xC0, 0x57, 0x59, 0x75, 0x62, 0x69, 0x4B, 0x65, 0x79, 0x40,
}

// Control bytes of the framing.
const (
	powerOff = 0
	powerOn  = 1
	reset    = 2
	getATR   = 4
)

// ErrPowerLost is returned by Serve when the card gives no answer.
var ErrPowerLost = errors.New("the card lost its power")

// Serve answers the handler's frames until the link ends, and then cuts the card's
// power. It returns nil when the handler closed the link, and [ErrPowerLost] when the
// card went silent.
func Serve(link io.ReadWriter, card Card) error {
	defer card.PowerOff()
	off := false // by the reader; the card itself is well
	for {
		frame, err := readFrame(link)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if off && len(frame) != 1 { // pcscd cut the power between two clients: as with any card, that fails
			if err := writeFrame(link, nil); err != nil {
				return err
			}
			continue
		}
		if len(frame) == 1 && frame[0] != getATR {
			off = frame[0] == powerOff
		}
		reply, err := react(frame, card)
		if err != nil {
			return err
		}
		if reply == nil {
			continue
		}
		if err := writeFrame(link, reply); err != nil {
			return err
		}
	}
}

// react handles one frame. A nil reply means that none is due.
func react(frame []byte, card Card) ([]byte, error) {
	if len(frame) != 1 {
		if reply := card.Transmit(frame); reply != nil {
			return reply, nil
		}
		return nil, ErrPowerLost
	}
	switch frame[0] {
	case powerOff:
		card.PowerOff()
		return nil, nil
	case powerOn, reset:
		card.PowerOn()
		return nil, nil
	case getATR:
		return ATR, nil
	}
	return nil, fmt.Errorf("control byte %d is not known", frame[0])
}

func readFrame(r io.Reader) ([]byte, error) {
	var head [2]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	frame := make([]byte, binary.BigEndian.Uint16(head[:]))
	if _, err := io.ReadFull(r, frame); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return frame, nil
}

func writeFrame(w io.Writer, payload []byte) error {
	if len(payload) > 0xFFFF {
		return errors.New("an answer does not fit into a frame")
	}
	frame := binary.BigEndian.AppendUint16(nil, uint16(len(payload)))
	_, err := w.Write(append(frame, payload...))
	return err
}
