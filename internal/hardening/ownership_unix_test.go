//go:build unix

package hardening

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// TestPrivate: what another user could do to a folder. The effects are tested
// where programs use it.
func TestPrivate(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		above, folder os.FileMode
		private       bool
	}{
		"ours alone":                 {0o700, 0o700, true},
		"in one that others read":    {0o755, 0o700, true},
		"in a sticky one, like /tmp": {0o777 | os.ModeSticky, 0o700, true},
		"others may read it":         {0o700, 0o750, false},
		"others may enter it":        {0o700, 0o711, false},
		"others may write above":     {0o777, 0o700, false},
		"sticky itself":              {0o700, 0o777 | os.ModeSticky, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			above := filepath.Join(t.TempDir(), "above")
			folder := filepath.Join(above, "folder")
			must.OK(t, os.MkdirAll(folder, 0o700))
			must.OK(t, os.Chmod(folder, tc.folder))
			must.OK(t, os.Chmod(above, tc.above))
			got, err := Private(folder)
			if (err == nil) != tc.private || tc.private && got != must.Get(filepath.EvalSymlinks(folder))(t) {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
}

// TestOurs: only this user, root and this process's groups are allowed.
func TestOurs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode   os.FileMode
		secret bool
		fix    string // empty: fine
	}{
		{0o700, false, ""}, {0o755, false, ""}, {0o770, false, ""}, {0o777, false, "chmod o-w "}, {0o702, false, "chmod o-w "},
		{0o600, true, ""}, {0o660, true, ""}, {0o604, true, "chmod o-rw "}, {0o602, true, "chmod o-rw "},
	} {
		path := filepath.Join(t.TempDir(), "it")
		must.OK(t, os.WriteFile(path, nil, 0o600))
		must.OK(t, os.Chmod(path, c.mode))
		err := CheckNotWritableByOthers(path, c.secret)
		if (err == nil) != (c.fix == "") || err != nil && !strings.Contains(err.Error(), c.fix+path) {
			t.Errorf("%#o, a secret %t: %v", c.mode, c.secret, err)
		}
	}
	// On every Debian: owned by root, readable by a group that is not ours.
	if err := CheckNotWritableByOthers("/etc/shadow", true); err == nil || !strings.Contains(err.Error(), "chmod g-rw ") {
		t.Errorf("another group: %v", err)
	}
	if err := CheckNotWritableByOthers("/etc", false); err != nil {
		t.Errorf("root's: %v", err)
	}
}
