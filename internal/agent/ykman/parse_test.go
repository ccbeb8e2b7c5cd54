package ykman

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/must"
)

// Output of ykman 4.0.9's "apdu --no-pretty --app piv", shortened.
const apduOutput = `SELECT AID: A0 00 00 03 08
RECV (SW=9000):
61114F0600001000010079074F05A000000308

SEND: 00 FD 00 00
RECV (SW=9000):
050403

SEND: 00 20 00 80
RECV (SW=63C3)


SEND: 00 F7 00 9A
RECV (SW=6A88)

`

func TestParseAPDUs(t *testing.T) {
	t.Parallel()
	got := must.Get(parseAPDUs(apduOutput))(t)
	want := []response{
		{[]byte("\x61\x11\x4f\x06\x00\x00\x10\x00\x01\x00\x79\x07\x4f\x05\xa0\x00\x00\x03\x08"), 0x9000},
		{[]byte{5, 4, 3}, 0x9000}, {nil, 0x63c3}, {nil, 0x6a88},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(response{})); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"RECV (SW=90)", "RECV (SW=9000", "RECV (SW=9000):", "RECV (SW=9000):\nxyz", "RECV (SW=9000)!"} {
		if _, err := parseAPDUs(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// TestClassify maps ykman's messages (4.x and 5.x) to faults.
func TestClassify(t *testing.T) {
	t.Parallel()
	d := New(Options{Log: slog.New(slog.DiscardHandler)})
	changePIN := step{serial: "20260001", tries: fault.WrongPIN, setsCode: true}
	unblock := step{serial: "20260001", tries: fault.WrongPUK, setsCode: true}
	for _, c := range []struct {
		text string
		exit int
		step step
		want fault.Code
		left any // retries_left
	}{
		{"Error: PIN change failed - 2 tries left.", 1, changePIN, fault.WrongPIN, 2},
		{"ERROR: PIN change failed - 1 tries left.", 1, changePIN, fault.WrongPIN, 1},
		{"Touch your YubiKey...\nERROR: PIN verification failed, 1 tries left.", 1, changePIN, fault.WrongPIN, 1},
		{"Error: PUK change failed - 2 tries left.", 1, unblock, fault.WrongPUK, 2},
		{"Error: PIN unblock failed - 2 tries left.", 1, unblock, fault.WrongPUK, 2},
		{"Error: PIN is blocked.", 1, changePIN, fault.PINBlocked, 0},
		{"Error: PUK is blocked.", 1, unblock, fault.PUKBlocked, 0},
		{"Error: Authentication with management key failed.", 1, step{}, fault.WrongManagementKey, nil},
		{"Error: Failed connecting to a YubiKey with serial: 20260001.\nMake sure", 1, changePIN, fault.TokenNotFound, nil},
		{"Traceback\nValueError: YubiKey with given serial not found", 1, changePIN, fault.TokenNotFound, nil},
		{"Error: No YubiKey detected!", 1, step{}, fault.NoToken, nil},
		{"Traceback\nyubikit.core.smartcard.ApduError: APDU error: SW=0x6985", 1, changePIN, fault.PINRefused, nil},
		{"Traceback\nyubikit.core.smartcard.ApduError: APDU error: SW=0x6985", 1, step{}, fault.ToolFailed, nil},
		{"Traceback\nsmartcard.Exceptions.CardConnectionException: Failed to transmit with protocol T1. Card was removed.",
			1, changePIN, fault.ToolFailed, nil},
		{"Traceback\nsmartcard.Exceptions.CardConnectionException: Unable to connect with protocol: T0 or T1. Sharing violation.",
			1, changePIN, fault.TokenInUse, nil},
		{"Traceback\nsmartcard.Exceptions.CardConnectionException: Failed to transmit with protocol T1. Sharing violation.",
			1, changePIN, fault.ToolFailed, nil},
		{"Usage: ykman piv access change-pin", 2, changePIN, fault.ToolFailed, nil},
		{"", 1, changePIN, fault.ToolFailed, nil},
	} {
		err := d.classify(&failure{exit: c.exit, text: c.text}, c.step)
		f, _ := fault.As(err)
		if f == nil || f.Code != c.want || f.Extra["retries_left"] != c.left {
			t.Errorf("%q: got %v %v, want %s %v", c.text, err, f.Extra, c.want, c.left)
		}
		if known := f.Extra[driver.OutcomeKnown]; f.Code == fault.ToolFailed && known != (c.exit == 2) {
			t.Errorf("%q: outcome known is %v", c.text, known)
		}
	}
	if err := d.classify(&failure{exit: 1, text: "Error: This certificate is not tied to the private key in the AUTHENTICATION slot."},
		step{}); !errors.Is(err, driver.ErrKeyMismatch) {
		t.Errorf("a foreign certificate gives %v", err)
	}
	if f, _ := fault.As(d.classify(&failure{exit: -1, killed: true}, changePIN)); f.Extra[driver.OutcomeKnown] != false {
		t.Error("the outcome of a killed change is said to be known")
	}
}

func TestRFC4514(t *testing.T) {
	t.Parallel()
	got := rfc4514(driver.Subject{CommonName: ` a,b=c#"é" `, Organization: `x+y\z`, Country: "AT"})
	if want := `CN=\20a\2Cb\3Dc\23\22é\22\20,O=x\2By\5Cz,C=AT`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestInfo(t *testing.T) {
	t.Parallel()
	const out = "Device type: YubiKey 5 NFC\nSerial number: 20260001\nFirmware version: 5.4.3\nForm factor: Keychain (USB-A)\n" +
		"Enabled USB interfaces: OTP, FIDO, CCID\n\nApplications\nPIV\tEnabled\n"
	got, ok := parseInfo(out)
	want := driver.Token{Serial: "20260001", Model: "YubiKey 5 NFC", FirmwareVersion: "5.4.3", FormFactor: "Keychain (USB-A)"}
	if !ok || got != want {
		t.Errorf("got %v", got)
	}
	for _, bad := range []string{"", "Serial number: none", "Serial number: 0", "Serial number: 007", "Serial number: 1;2"} {
		if _, ok := parseInfo(bad); ok {
			t.Errorf("%q is a token", bad)
		}
	}
}

// TestSecretsStayInside checks the last guards, in the driver itself.
func TestSecretsStayInside(t *testing.T) {
	t.Parallel()
	d := New(Options{Path: "true"})
	for _, bad := range []string{"", "12\n34", "12\r34", "12\x0034"} {
		if err := d.ChangePIN(t.Context(), "20260001", secret.New(bad), secret.New("123456")); !errors.Is(err, errEmpty) {
			t.Errorf("%q reached the tool: %v", bad, err)
		}
	}
	text := redact("Error: 84720195 is no PIN, y", []secret.String{secret.New("84720195"), secret.New("y")})
	if strings.Contains(text, "84720195") || !strings.HasSuffix(text, "y") {
		t.Errorf("redacted to %q", text)
	}
	for _, bad := range []string{"", "-1", "0", "01", "1 --help", "99999999999", "abcd"} {
		if _, err := on(bad, "x"); !fault.Is(err, fault.TokenNotFound) {
			t.Errorf("serial %q: %v", bad, err)
		}
	}
}

// FuzzOutput feeds arbitrary data to every parser of the tool's and the token's
// output.
func FuzzOutput(f *testing.F) {
	f.Add([]byte(apduOutput))
	f.Add([]byte("Serial number: 1\n"))
	f.Add([]byte{0x53, 0x82, 0x00, 0x04, 0x70, 0x00, 0x71, 0x00})
	f.Add([]byte{0x01, 0x01, 0x07, 0x02, 0x02, 0x02, 0x01, 0x03, 0x01, 0x01, 0x04, 0x03, 0x81, 0x01, 0x03})
	f.Add([]byte{0x53, 0x06, 0x80, 0x04, 0x81, 0x01, 0x02, 0x82, 0x00})
	f.Add([]byte{0x7f, 0x49, 0x84, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		rs, err := parseAPDUs(string(b))
		if err == nil {
			for _, r := range rs {
				readSlot(r, r)
			}
		}
		parseInfo(string(b))
		r := response{b, swOK}
		if s := readSlot(r, r); !s.Occupied() {
			t.Error("a slot with metadata is free")
		}
		readSlot(response{nil, 0x6a88}, r)
		keyOnToken(r)
		var c driver.Counter
		_ = readCounter(&c, r)
		_ = readManagementKey(&driver.Card{}, r)
		m, err := tlvs(b)
		total := 0
		for _, v := range m {
			total += len(v)
		}
		if err == nil && total > len(b) {
			t.Error("more values than data")
		}
		_, _ = parsePublicKey(b)
	})
}
