package applet_test

import (
	"bytes"
	"testing"
)

// Each case is a dialogue with a fresh card (firmware 5.4.3), in the notation of the
// tables in SP 800-73-4 part 2: command and status word. The factory PIN is 123456 and
// the PUK 12345678.
const (
	selectPIV = "00 A4 04 00 05 A0 00 00 03 08"
	goodPIN   = "00 20 00 80 08 31 32 33 34 35 36 FF FF"
	badPIN    = "00 20 00 80 08 36 36 36 36 36 36 FF FF"
	askPIN    = "00 20 00 80"
	badPUK    = "00 2C 00 80 10 39 39 39 39 39 39 39 39 36 35 34 33 32 31 FF FF"
	goodPUK   = "00 2C 00 80 10 31 32 33 34 35 36 37 38 36 35 34 33 32 31 FF FF"
)

type step struct {
	apdu string
	sw   int
}

func TestStatusWords(t *testing.T) {
	t.Parallel()
	for name, dialogue := range statusCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := setup(t)
			for i, s := range dialogue {
				if _, sw := c.raw(unhex(t, s.apdu)); sw != s.sw {
					t.Fatalf("step %d, %s: status word %04X, want %04X", i+1, s.apdu, sw, s.sw)
				}
			}
		})
	}
}

var statusCases = map[string][]step{
	"select: full, truncated, unknown, wrong P1": {
		{"00 A4 04 00 0B A0 00 00 03 08 00 00 10 00 01 00", 0x9000},
		{"00 A4 04 00 05 A0 00 00 03 08 00", 0x9000},
		{"00 A4 04 00 05 A0 00 00 03 09", 0x6A82},
		{"00 A4 00 00 05 A0 00 00 03 08", 0x6A86},
		{"00 A4 04 00 08 A0 00 00 05 27 47 11 17", 0x9000},
	},
	"selecting again keeps the PIN, another application forgets it": {
		{goodPIN, 0x9000}, {selectPIV, 0x9000}, {askPIN, 0x9000},
		{"00 A4 04 00 05 A0 00 00 03 09", 0x6A82}, {askPIN, 0x9000},
		{"00 A4 04 00 08 A0 00 00 05 27 47 11 17", 0x9000}, {askPIN, 0x6D00},
		{selectPIV, 0x9000}, {askPIN, 0x63C3},
	},
	"verify: good, status, logout": {
		{askPIN, 0x63C3}, {goodPIN, 0x9000}, {askPIN, 0x9000},
		{"00 20 FF 80", 0x9000}, {askPIN, 0x63C3},
	},
	"wrong ones are counted, and the PUK gives another PIN": {
		{badPIN, 0x63C2}, {goodPIN, 0x9000}, {badPIN, 0x63C2}, {badPIN, 0x63C1}, {badPIN, 0x63C0}, {goodPIN, 0x6983},
		{badPUK, 0x63C2}, {goodPUK, 0x9000}, {goodPIN, 0x63C2}, {"00 20 00 80 08 36 35 34 33 32 31 FF FF", 0x9000},
	},
	"verify: formats": {
		{"00 20 00 80 06 31 32 33 34 35 36", 0x6A80},
		{"00 20 00 00 08 31 32 33 34 35 36 FF FF", 0x6A88},
		{"00 20 00 81 08 31 32 33 34 35 36 FF FF", 0x6A88},
		{"00 20 01 80 08 31 32 33 34 35 36 FF FF", 0x6A86},
		{askPIN, 0x63C3},
	},
	"change PIN: new PIN too short, wrongly padded, missing": {
		{"00 24 00 80 10 31 32 33 34 35 36 FF FF 36 35 34 33 32 FF FF FF", 0x6A80},
		{"00 24 00 80 10 31 32 33 34 35 36 FF FF 36 35 FF 33 32 31 FF FF", 0x6A80},
		{"00 24 00 80 08 31 32 33 34 35 36 FF FF", 0x6A80},
		{"00 24 00 82 10 31 32 33 34 35 36 FF FF 36 35 34 33 32 31 FF FF", 0x6A88},
		{goodPIN, 0x9000},
	},
	"data objects": {
		{"00 CB 3F FF 05 5C 03 5F C1 02", 0x6A82},
		{"00 CB 3F FF 03 5C 01 7E", 0x9000},
		{"00 CB 00 00 05 5C 03 5F C1 02", 0x6A86},
		{"00 CB 3F FF 04 5C 03 5F C1", 0x6A80},
		{"00 CB 3F FF 05 5C 03 5F C1 09", 0x6982},
		{goodPIN, 0x9000},
		{"00 CB 3F FF 05 5C 03 5F C1 09", 0x6A82},
		{"00 DB 3F FF 09 5C 03 5F C1 02 53 02 01 02", 0x6982},
	},
	"the management key's commands without it": {
		{"00 47 00 9A 05 AC 03 80 01 11", 0x6982},
		{"00 FE 11 9A 03 06 01 01", 0x6982},
		{"00 FF FF FF 03 03 9B 00", 0x6982},
		{goodPIN, 0x9000},
		{"00 FA 05 05", 0x6982},
		{"00 47 00 7F 05 AC 03 80 01 11", 0x6A86},
	},
	"private keys": {
		{"00 87 11 9A 04 7C 02 82 00", 0x6A80},
		{"00 87 11 9F 04 7C 02 82 00", 0x6A86},
		{"00 87 11 9A 03 7C 02 82", 0x6A80},
		{"00 87 0A 9B 04 7C 02 80 00", 0x6A86},
	},
	"metadata and attestation of an empty slot": {
		{"00 F7 00 9A", 0x6A88}, {"00 F7 00 80", 0x9000}, {"00 F7 00 9B", 0x9000},
		{"00 F9 9A 00", 0x6A80}, {"00 F9 F9 00", 0x6A86},
	},
	"classes and instructions": {
		{"01 20 00 80", 0x6881}, {"0C 20 00 80", 0x6882}, {"80 20 00 80", 0x6E00},
		{"00 01 00 00", 0x6D00}, {"00 F6 FF 9A", 0x6D00}, {"00 C0 00 00", 0x6985},
	},
	"lengths": {
		{"00 20 00", 0x6700}, {"00 20 00 80 08 31", 0x6700},
		{"00 20 00 80 08 31 32 33 34 35 36 FF FF 00 00", 0x6700},
		{"00 20 00 80 00 00 09 31", 0x6700},
		{"00 20 00 80 00 00 08 31 32 33 34 35 36 FF FF 00 00", 0x9000},
		{"00 FD 00 00 00 00 00", 0x9000}, {"00 FD 00 00 03", 0x9000}, {"00 FD 00 00", 0x9000},
	},
	"command chaining": {
		{"10 20 00 80 02 31 32", 0x9000}, {"10 20 00 80 02 33 34", 0x9000},
		{"00 20 00 80 04 35 36 FF FF", 0x9000}, {askPIN, 0x9000},
	},
	"a chain that was given up is forgotten": {
		{"10 20 00 80 02 36 36", 0x9000}, {"00 FD 00 00", 0x9000}, {goodPIN, 0x9000},
	},
}

// The responses to a few commands, byte for byte.
func TestAnswers(t *testing.T) {
	t.Parallel()
	c := setup(t)
	for _, test := range []struct{ apdu, want string }{
		{selectPIV, "61 11 4F 06 00 00 10 00 01 00 79 07 4F 05 A0 00 00 03 08"},
		{"00 FD 00 00", "05 04 03"},
		{"00 F8 00 00", "01 35 24 A1"},
		{"00 CB 3F FF 03 5C 01 7E", "7E 12 4F 0B A0 00 00 03 08 00 00 10 00 01 00 5F 2F 02 40 00"},
		{"00 F7 00 80", "01 01 FF 05 01 01 06 02 03 03"},
		{"00 F7 00 9B", "01 01 03 02 02 00 01 05 01 01"},
	} {
		got, sw := c.raw(unhex(t, test.apdu))
		if want := unhex(t, test.want); sw != 0x9000 || !bytes.Equal(got, want) {
			t.Errorf("%s: got % X, %04X; want % X", test.apdu, got, sw, want)
		}
	}
}

// A long response is sent in parts to a client that accepts short ones, and whole to
// one that accepts long ones.
func TestGetResponse(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.managed()
	content := bytes.Repeat([]byte{0xA5}, 600)
	c.must(0xDB, 0x3F, 0xFF, append(tlv(0x5C, []byte{0x5F, 0xC1, 0x02}), tlv(0x53, content)...))
	whole := tlv(0x53, content) // 604 bytes
	var got []byte
	part, sw := c.raw(unhex(t, "00 CB 3F FF 05 5C 03 5F C1 02 00"))
	got = append(got, part...)
	if sw != 0x6100 {
		t.Fatalf("first part: %04X, want 6100", sw)
	}
	part, sw = c.raw(unhex(t, "00 C0 00 00 00"))
	got = append(got, part...)
	if sw != 0x615C {
		t.Fatalf("second part: %04X, want 615C (92 bytes left)", sw)
	}
	part, sw = c.raw(unhex(t, "00 C0 00 00 5C"))
	got = append(got, part...)
	if sw != 0x9000 || !bytes.Equal(got, whole) {
		t.Fatalf("last part: %04X, %d bytes in all, want %d", sw, len(got), len(whole))
	}
	if long := c.must(0xCB, 0x3F, 0xFF, tlv(0x5C, []byte{0x5F, 0xC1, 0x02})); !bytes.Equal(long, whole) {
		t.Errorf("extended answer: %d bytes, want %d", len(long), len(whole))
	}
}
