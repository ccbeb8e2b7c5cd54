package ifd

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/keyward/keyward/internal/hardening"
)

//go:embed driver/handler.c
var source []byte

// MaxReaders is how many readers one pcscd can have through the handler.
const MaxReaders = 16

// headers is where Debian and Fedora have ifdhandler.h.
const headers = "/usr/include/PCSC"

// Build compiles the handler into dir, unless it is there already, and returns the
// shared object's path. Its name holds a hash of the source, so that a new version is
// compiled anew. Several processes may build at once. pcscd runs it with this user's
// rights: a folder or file that another user owns, may open or could replace is
// refused.
//
// It needs a C compiler (CC, or else cc) and the headers of libpcsclite-dev.
func Build(ctx context.Context, dir string) (string, error) {
	sum := sha256.Sum256(append([]byte(runtime.GOARCH), source...))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	dir, err := hardening.Private(dir)
	if err != nil {
		return "", fmt.Errorf("the folder of the reader's driver cannot be used: %w", err)
	}
	path := filepath.Join(dir, fmt.Sprintf("libkeyward-vtoken-%x.so", sum[:8]))
	if info, err := os.Lstat(path); err == nil {
		if !info.Mode().IsRegular() {
			return "", fmt.Errorf("%s is not a file; remove it, and the driver is built again", path)
		}
		if err := hardening.CheckOwnerOnly(path, info); err != nil {
			return "", fmt.Errorf("%w; remove it, and the driver is built again", err)
		}
		return path, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(headers, "ifdhandler.h")); err != nil {
		return "", fmt.Errorf("%s/ifdhandler.h is missing: install the package libpcsclite-dev", headers)
	}
	return path, compile(ctx, path)
}

// compile first writes to a temporary name: nobody loads an incomplete file.
func compile(ctx context.Context, path string) error {
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	if _, err := exec.LookPath(cc); err != nil {
		return fmt.Errorf("there is no C compiler %q: install the package gcc, or name a compiler in CC", cc)
	}
	out, err := os.CreateTemp(filepath.Dir(path), ".build-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(out.Name()) }()
	if err := out.Close(); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, cc, "-O2", "-Wall", "-Wextra", "-Wno-unused-parameter", "-fPIC", "-shared", "-pthread",
		"-I"+headers, "-x", "c", "-", "-o", out.Name())
	cmd.Stdin = strings.NewReader(string(source))
	if report, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("could not compile the reader's driver: %w\n%s", err, report)
	}
	if err := os.Chmod(out.Name(), 0o700); err != nil {
		return err
	}
	return os.Rename(out.Name(), path)
}
