package applet_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
	"github.com/keyward/keyward/test/must"
)

// reopen creates a second card from the first one's file, as after a restart.
func reopen(t testing.TB, path string) client {
	t.Helper()
	card := must.Get(applet.New(applet.Options{Serial: 20260001, Path: path}))(t)
	c := client{t, card}
	c.open()
	return c
}

func atPath(path *string) func(*applet.Options) { return func(o *applet.Options) { *path = o.Path } }

func TestRestartKeepsEverything(t *testing.T) {
	t.Parallel()
	var path string
	c := setup(t, atPath(&path), firmware(t, "5.6.0"))
	c.managed()
	pub := ecPublicBytes(c, c.generate(0x9A, 0x11))
	c.must(0xDB, 0x3F, 0xFF, append(tlv(0x5C, []byte{0x5F, 0xC1, 0x05}), tlv(0x53, []byte("certificate"))...))
	c.verify("666666")
	c.must(0x24, 0, 0x81, append(pad8("12345678"), pad8("87654321")...))

	c = reopen(t, path)
	if got := c.card.Firmware().String(); got != "5.6.0" {
		t.Errorf("firmware %s", got)
	}
	if _, left := c.retries(0x80); left != 2 {
		t.Errorf("%d attempts left, want 2: a restart must not give one back", left)
	}
	if got := value(t, c.must(0xF7, 0, 0x9A, nil), 0x04, 0x86); string(got) != pub {
		t.Error("another key after the restart")
	}
	if got := value(t, c.must(0xCB, 0x3F, 0xFF, tlv(0x5C, []byte{0x5F, 0xC1, 0x05})), 0x53); string(got) != "certificate" {
		t.Errorf("object %q", got)
	}
	c.want(0x9000, 0x24, 0, 0x81, append(pad8("87654321"), pad8("12345678")...))
	c.want(0x6982, 0x47, 0, 0x9A, tlv(0xAC, tlv(0x80, []byte{0x11}))) // proofs are cleared
}

func ecPublicBytes(c client, pub []byte) string { return string(value(c.t, pub, 0x86)) }

func TestFileIsPrivate(t *testing.T) {
	t.Parallel()
	var path string
	c := setup(t, atPath(&path))
	c.verify("666666")
	info := must.Get(os.Stat(path))(t)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode().Perm())
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("files are left over: %v %v", entries, err)
	}
}

// A damaged or foreign file is refused with a hint, and not changed.
func TestDamagedFile(t *testing.T) {
	t.Parallel()
	var path string
	setup(t, atPath(&path))
	good := must.Get(os.ReadFile(path))(t)
	for name, content := range map[string]string{
		"cut":         string(good[:len(good)/2]),
		"empty":       "",
		"no state":    "{}",
		"other field": `{"colour":1,` + string(good[1:]),
		"bad counter": strings.Replace(string(good), `"left": 3`, `"left": 9`, 1),
		"bad slot":    strings.Replace(string(good), `"f9"`, `"77"`, 1),
	} {
		must.OK(t, os.WriteFile(path, []byte(content), 0o600))
		_, err := applet.New(applet.Options{Serial: 20260001, Path: path})
		if err == nil || !strings.Contains(err.Error(), "move it away") {
			t.Errorf("%s: error %v, want one that says what to do", name, err)
		}
		if after, _ := os.ReadFile(path); string(after) != content {
			t.Errorf("%s: the file was changed", name)
		}
	}
	must.OK(t, os.WriteFile(path, good, 0o600))
	if _, err := applet.New(applet.Options{Serial: 5, Path: path}); err == nil {
		t.Error("another token's file was taken")
	}
	if _, err := applet.New(applet.Options{Serial: 20260001, Path: path, Firmware: piv.Version{5, 7, 0}}); err == nil {
		t.Error("another firmware was taken")
	}
}

// A state that cannot be written is answered with 6581 and not used: an attempt is only
// compared after it was recorded.
func TestDiskFailure(t *testing.T) {
	t.Parallel()
	var path string
	c := setup(t, atPath(&path))
	must.OK(t, os.RemoveAll(filepath.Dir(path)))
	if sw := c.verify("123456"); sw != 0x6581 {
		t.Errorf("%04X, want 6581", sw)
	}
	c.want(0x63C3, 0x20, 0, 0x80, nil)
}
