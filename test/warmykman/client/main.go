//go:build linux

// Command client is installed as ykman, and passes its call to the server next to it:
// arguments, environment, working folder, standard input, output and error, and
// descriptor 3 if that is a pipe. It exits as the real ykman did. See package
// warmykman, and server.py for the protocol.
package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// noServer is the exit code without a response. ykman uses 0, 1 and 2.
const noServer = 125

func main() {
	code, err := call()
	if err != nil {
		fmt.Fprintln(os.Stderr, "ykman, kept warm for the tests:", err)
		code = noServer
	}
	os.Exit(code)
}

func call() (int, error) {
	fds := descriptors() // before any other is opened
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	folder, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	server, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	if err := syscall.Connect(server, &syscall.SockaddrUnix{Name: filepath.Join(filepath.Dir(self), "socket")}); err != nil {
		return 0, err
	}
	fields := slices.Concat([]string{strconv.Itoa(len(os.Args))}, os.Args, []string{folder}, os.Environ())
	text := strings.Join(fields, "\x00")
	message := append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...)
	sent, err := syscall.SendmsgN(server, message, syscall.UnixRights(fds...), nil, 0)
	for err == nil && sent < len(message) {
		var n int
		n, err = syscall.Write(server, message[sent:])
		sent += n
	}
	if err != nil {
		return 0, err
	}
	var answer [4]byte
	for have := 0; have < len(answer); {
		switch n, err := syscall.Read(server, answer[have:]); {
		case err == syscall.EINTR:
		case err != nil:
			return 0, err
		case n == 0:
			return 0, fmt.Errorf("the server has gone")
		default:
			have += n
		}
	}
	return int(int32(binary.BigEndian.Uint32(answer[:]))), nil
}

// descriptors returns the standard ones, and the third if it is a pipe from the caller:
// Go's runtime may have opened a file of its own at that number.
func descriptors() []int {
	fds := []int{0, 1, 2}
	var about syscall.Stat_t
	if err := syscall.Fstat(3, &about); err == nil && about.Mode&syscall.S_IFMT == syscall.S_IFIFO {
		fds = append(fds, 3)
	}
	return fds
}
