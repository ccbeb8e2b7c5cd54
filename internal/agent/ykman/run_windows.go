package ykman

import (
	"os"
	"os/exec"
	"slices"
	"syscall"

	"golang.org/x/sys/windows"
)

// inherited lists the environment variables that the tool inherits.
var inherited = []string{"PATH", "PATHEXT", "SYSTEMROOT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP"}

// filePath is a placeholder that attachFile replaces by the file's name.
const filePath = "{file}"

// detach gives the tool no console, so that it cannot prompt there.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP}
}

// attachFile writes content, which is never secret (a certificate, a public
// key), to a temporary file: Windows has no /dev/fd.
func attachFile(cmd *exec.Cmd, content []byte) (func(), error) {
	if content == nil {
		return func() {}, nil
	}
	f, err := os.CreateTemp("", "keyward-agent-*.pem")
	if err != nil {
		return nil, err
	}
	remove := func() { _ = os.Remove(f.Name()) }
	_, err = f.Write(content)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		remove()
		return nil, err
	}
	if i := slices.Index(cmd.Args, filePath); i >= 0 {
		cmd.Args[i] = f.Name()
	}
	return remove, nil
}
