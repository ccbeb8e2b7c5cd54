package postgrestest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/keyward/keyward/test/socketdir"
)

// account is the user that the server runs as; nil is the test process's own.
type account struct{ credential *syscall.Credential }

// unprivileged finds a user that may run a server.
func unprivileged() (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if uidErr == nil && gidErr == nil {
			return account{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
		}
	}
	return account{}, errors.New("postgrestest: PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody")
}

// own makes the account a file's owner.
func (a account) own(path string) error {
	if a.credential == nil {
		return nil
	}
	if err := os.Chown(path, int(a.credential.Uid), int(a.credential.Gid)); err != nil {
		return fmt.Errorf("PostgreSQL does not run as root, and root may be nobody else here: run the tests as an ordinary user: %w", err)
	}
	return nil
}

// put writes a file that only the account can read.
func (a account) put(path string, content []byte) error {
	return errors.Join(os.WriteFile(path, content, 0o600), a.own(path))
}

// temporary is a directory for the account's files, including sockets: a TMPDIR that only root can
// enter will not do.
func (a account) temporary() string {
	dir := socketdir.Parent()
	if a.credential != nil && !open(dir) {
		return "/tmp"
	}
	return dir
}

// open reports whether everybody may enter a directory.
func open(dir string) bool {
	for {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm()&0o001 == 0 {
			return false
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		return true
	}
}

// command is a program that the account runs, with only the environment that a program needs: PG…
// would change the server.
func (a account) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: a.credential}
	return cmd
}

func (a account) run(name string, args ...string) error {
	cmd := a.command(name, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out.String())
	}
	return nil
}

// oldest is the first PostgreSQL version that Keyward is tested with.
const oldest = 15

// programs is the directory of the newest PostgreSQL on this machine.
func programs() (string, error) {
	dir, err := installed()
	if err != nil {
		return "", err
	}
	out, err := exec.Command(filepath.Join(dir, "postgres"), "--version").Output() // postgres (PostgreSQL) 15.8 (…)
	if err != nil {
		return "", fmt.Errorf("postgrestest: %s: postgres --version: %w", dir, err)
	}
	_, text, _ := strings.Cut(string(out), "(PostgreSQL) ")
	text = strings.TrimSpace(text)
	digits := text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
	if version, err := strconv.Atoi(digits); err != nil || version < oldest {
		return "", fmt.Errorf("postgrestest: the newest PostgreSQL here is %q in %s; Keyward is tested with %d and later", text, dir, oldest)
	}
	return dir, nil
}

func installed() (string, error) {
	// Debian keeps them outside the PATH, in a directory per version.
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil {
		return "", err
	}
	if len(found) > 0 {
		version := func(path string) int {
			n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path)))) // none is 0
			return n
		}
		newest := slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })
		return filepath.Dir(newest), nil
	}
	path, err := exec.LookPath("postgres")
	if err != nil {
		return "", errors.New("postgrestest: PostgreSQL is not installed: scripts/install-deps test does it")
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", err
	}
	return filepath.Dir(path), nil
}
