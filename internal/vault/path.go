package vault

import (
	"fmt"
	"strings"
)

// MaxPath is the longest path of a document, in bytes.
const MaxPath = 512

// CheckPath reports whether every engine can store a document at path:
// segments of ASCII letters, digits and "-_.@:=~", joined by single slashes,
// none of them "." or "..". Its error is ErrInvalid and never repeats the path.
func CheckPath(path string) error {
	if path == "" {
		return fmt.Errorf("%w: the path is empty", ErrInvalid)
	}
	if len(path) > MaxPath {
		return fmt.Errorf("%w: the path is longer than %d bytes", ErrInvalid, MaxPath)
	}
	for segment := range strings.SplitSeq(path, "/") {
		switch segment {
		case "":
			return fmt.Errorf("%w: the path begins or ends with a slash or has an empty segment", ErrInvalid)
		case ".", "..":
			return fmt.Errorf("%w: the path has a segment of dots", ErrInvalid)
		}
		for i := range len(segment) {
			if !pathByte(segment[i]) {
				return fmt.Errorf("%w: the path has a character other than ASCII letters, digits and -_.@:=~", ErrInvalid)
			}
		}
	}
	return nil
}

func pathByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' ||
		strings.IndexByte("-_.@:=~", c) >= 0
}
