package ifd_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/keyward/keyward/internal/tryout/vtoken/ifd"
	"github.com/keyward/keyward/test/must"
)

// recorder is a card that records calls and echoes APDUs backwards.
type recorder struct {
	events []string
	dead   bool
}

func (r *recorder) PowerOn()  { r.events = append(r.events, "on") }
func (r *recorder) PowerOff() { r.events = append(r.events, "off") }
func (r *recorder) Transmit(apdu []byte) []byte {
	r.events = append(r.events, hex.EncodeToString(apdu))
	if r.dead {
		return nil
	}
	return append([]byte{0xEE}, apdu...)
}

// pipe is the driver's end, with prepared input.
type pipe struct {
	io.Reader
	bytes.Buffer
}

func (p *pipe) Read(b []byte) (int, error) { return p.Reader.Read(b) }

// The frames are written by hand from the description in doc.go.
func TestServe(t *testing.T) {
	t.Parallel()
	const atr = "0017" + "3bfd1300008131fe158073c021c057597562694b657940"
	for name, test := range map[string]struct {
		in, out string
		dead    bool
		events  []string
		fails   bool
	}{
		"power and ATR": {in: "000101" + "000104" + "000102" + "000104", out: atr + atr, events: []string{"on", "on", "off"}},
		"power off":     {in: "000100", events: []string{"off", "off"}},
		"an APDU after that": {in: "000101" + "000100" + "000400a40400" + "000101" + "000400a40400", out: "0000" + "0005ee00a40400",
			events: []string{"on", "off", "on", "00a40400", "off"}},
		"APDUs": {in: "000400a40400" + "0005" + "00fd000003", out: "0005ee00a40400" +
			"0006ee00fd000003", events: []string{"00a40400", "00fd000003", "off"}},
		"nothing":              {events: []string{"off"}},
		"cut head":             {in: "00", events: []string{"off"}, fails: true},
		"cut body":             {in: "000400a4", events: []string{"off"}, fails: true},
		"missing body":         {in: "0004", events: []string{"off"}, fails: true},
		"unknown control":      {in: "000107", events: []string{"off"}, fails: true},
		"a card without power": {in: "000400a40400", dead: true, events: []string{"00a40400", "off"}, fails: true},
	} {
		in := must.Get(hex.DecodeString(test.in))(t)
		card := &recorder{dead: test.dead}
		link := &pipe{Reader: bytes.NewReader(in)}
		err := ifd.Serve(link, card)
		if (err != nil) != test.fails || test.dead != errors.Is(err, ifd.ErrPowerLost) {
			t.Errorf("%s: error %v", name, err)
		}
		if got := hex.EncodeToString(link.Bytes()); got != test.out {
			t.Errorf("%s: answered %s, want %s", name, got, test.out)
		}
		if diff := cmp.Diff(test.events, card.events); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Any bytes from the driver lead to a response or an error, never to a panic, and the
// card is without power at the end.
func FuzzServe(f *testing.F) {
	for _, seed := range []string{"000101000104", "000400a40400", "ffff", "0000", "00010000"} {
		raw := must.Get(hex.DecodeString(seed))(f)
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		card := &recorder{}
		_ = ifd.Serve(&pipe{Reader: bytes.NewReader(in)}, card)
		if n := len(card.events); n == 0 || card.events[n-1] != "off" {
			t.Errorf("events %v do not end with the power off", card.events)
		}
	})
}
