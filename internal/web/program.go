package web

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// inspect determines what a program is, and leaves the file at its start.
func inspect(name string, file *os.File, info fs.FileInfo) (looked, error) {
	sum := sha256.New()
	size, err := io.Copy(sum, file)
	if err != nil {
		return looked{}, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return looked{}, err
	}
	l := looked{Download{Name: name, SizeBytes: size, SHA256: hex.EncodeToString(sum.Sum(nil))}, info.ModTime()}
	l.OS, l.Arch = platform(name, file)
	return l, nil
}

// platform returns what a program runs on: from its build information, else
// from its name, which is all that an installer or an archive has.
func platform(name string, file io.ReaderAt) (goos, arch string) {
	if info, err := buildinfo.Read(file); err == nil {
		for _, s := range info.Settings {
			switch s.Key {
			case "GOOS":
				goos = s.Value
			case "GOARCH":
				arch = s.Value
			}
		}
		return goos, arch
	}
	for part := range strings.FieldsFuncSeq(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("._-+", r) }) {
		switch {
		case slices.Contains([]string{"linux", "darwin", "windows"}, part):
			goos = part
		case part == "macos":
			goos = "darwin"
		case slices.Contains([]string{"amd64", "arm64"}, part):
			arch = part
		case part == "x64":
			arch = "amd64"
		case part == "aarch64":
			arch = "arm64"
		}
	}
	return goos, arch
}
