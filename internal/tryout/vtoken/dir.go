package vtoken

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/hardening"
	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
)

// dir is a state directory.
type dir string

// openDir creates the directory and its folders. They are private, since they hold the
// tokens' secrets in the clear; a directory that another user owns, may enter or could
// replace is refused.
func openDir(path string) (dir, error) {
	if path == "" {
		return "", errors.New("no state directory was given")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(abs, 0o700); err != nil {
		return "", fmt.Errorf("the state directory cannot be used: %w", err)
	}
	own, err := hardening.Private(abs)
	if err != nil {
		return "", fmt.Errorf("the state directory cannot be used: %w; choose another with --state", err)
	}
	d := dir(own)
	for _, p := range []string{d.tokens(), d.run()} {
		if err := ownFolder(p); err != nil {
			return "", fmt.Errorf("the state directory cannot be used: %w", err)
		}
	}
	return d, nil
}

// ownFolder creates a folder in the directory. It refuses one that another user created
// while that was possible. Its mode does not matter: pcscd opens the run folder, but
// others cannot reach it.
func ownFolder(path string) error {
	if err := os.Mkdir(path, 0o700); err == nil || !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is no folder", path)
	}
	return hardening.Owned(path, info)
}

func (d dir) join(name string) string { return filepath.Join(string(d), name) }
func (d dir) tokens() string          { return d.join("tokens") }
func (d dir) run() string             { return d.join("run") }
func (d dir) driver() string          { return d.join("driver") }
func (d dir) root() string            { return d.join("attestation-root.pem") }

func (d dir) token(serial uint32) string {
	return filepath.Join(d.tokens(), strconv.FormatUint(uint64(serial), 10)+".json")
}

// clearRun removes what an earlier host left. The caller holds the lock.
func (d dir) clearRun() error {
	if err := os.RemoveAll(d.run()); err != nil {
		return err
	}
	return os.Mkdir(d.run(), 0o700)
}

// longestSocket keeps a path within sockaddr_un, with room for the file name.
const longestSocket = 90

// shortRun returns a path of the run folder that fits into a socket address and into
// pcscd's reader file: the folder itself, or a link to it in a temporary folder. done
// removes the link.
func (d dir) shortRun() (path string, done func(), err error) {
	if len(d.run()) <= longestSocket && plain(d.run()) {
		return d.run(), func() {}, nil
	}
	tmp, err := os.MkdirTemp("", "kwv")
	if err != nil {
		return "", nil, err
	}
	done = func() { _ = os.RemoveAll(tmp) }
	if tmp, err = hardening.Private(tmp); err != nil {
		done()
		return "", nil, fmt.Errorf("the folder for temporary files cannot be used: %w", err)
	}
	link := filepath.Join(tmp, "run")
	if len(link) > longestSocket || !plain(link) {
		done()
		return "", nil, errors.New(
			"the paths of the state directory and of TMPDIR are both too long, or contain unusual characters: choose a shorter --state")
	}
	if err := os.Symlink(d.run(), link); err != nil {
		done()
		return "", nil, err
	}
	return link, done, nil
}

// plain reports whether pcscd's reader file can hold a path without quoting.
func plain(path string) bool {
	return strings.IndexFunc(path, func(r rune) bool {
		ok := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-", r)
		return !ok
	}) < 0
}

// Root returns the attestation test root of a state directory, creating it if there is
// none.
func Root(stateDir string) (*applet.Root, error) {
	d, err := openDir(stateDir)
	if err != nil {
		return nil, err
	}
	return applet.LoadRoot(d.root(), time.Now())
}
