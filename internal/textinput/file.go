package textinput

import (
	"bufio"
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"strings"
)

// mark is U+FEFF in UTF-8.
const mark = "\xef\xbb\xbf"

// Unmarked returns a text without its leading byte order mark.
func Unmarked[T ~string | ~[]byte](text T) T {
	if len(text) >= len(mark) && string(text[:len(mark)]) == mark {
		return text[len(mark):]
	}
	return text
}

// ReadFile reads a file, Unmarked.
func ReadFile(path string) ([]byte, error) {
	text, err := os.ReadFile(path) // #nosec G304 -- whoever runs the program names it
	return Unmarked(text), err
}

// UnmarkedBody is a stream of text, Unmarked.
func UnmarkedBody(body io.ReadCloser) io.ReadCloser {
	return &unmarked{Reader: bufio.NewReaderSize(body, 16), Closer: body}
}

type unmarked struct {
	*bufio.Reader
	io.Closer

	begun bool
}

func (u *unmarked) Read(p []byte) (int, error) {
	if !u.begun {
		u.begun = true
		if first, _ := u.Peek(len(mark)); string(first) == mark {
			_, _ = u.Discard(len(mark)) // peeked bytes can be discarded
		}
	}
	return u.Reader.Read(p)
}

// PEM finds the next block (RFC 7468) like pem.Decode, in a text that may have byte order
// marks, and white space around its lines. rest has neither.
func PEM[T ~string | ~[]byte](text T) (block *pem.Block, rest []byte) {
	lines := strings.Split(string(text), "\n")
	for i, line := range lines { // concatenated files may have a mark inside
		lines[i] = strings.TrimSpace(strings.ReplaceAll(line, mark, ""))
	}
	block, rest = pem.Decode([]byte(strings.Join(lines, "\n")))
	return block, bytes.TrimSpace(rest)
}

// ErrNotCertificates is for a text that is not one or more PEM certificates and nothing else.
var ErrNotCertificates = errors.New("not certificates in PEM alone")

// Certificates reads a text of PEM blocks CERTIFICATE and nothing else; ErrNotCertificates.
func Certificates[T ~string | ~[]byte](text T) (list []*x509.Certificate, err error) {
	for rest := []byte(text); ; {
		var block *pem.Block
		if block, rest = PEM(rest); block == nil || block.Type != "CERTIFICATE" {
			return nil, ErrNotCertificates
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, ErrNotCertificates
		}
		if list = append(list, certificate); len(rest) == 0 {
			return list, nil
		}
	}
}

// AddRoots adds the certificates among the PEM blocks of a text to a pool, and reports
// whether there were any.
func AddRoots[T ~string | ~[]byte](pool *x509.CertPool, text T) (found bool) {
	for rest := []byte(text); ; {
		var block *pem.Block
		if block, rest = PEM(rest); block == nil {
			return found
		}
		if certificate, err := x509.ParseCertificate(block.Bytes); block.Type == "CERTIFICATE" && err == nil {
			pool.AddCert(certificate)
			found = true
		}
	}
}

// MoreRoots reads a file of PEM certificates, to be trusted in addition to the system's.
func MoreRoots(path string) (*x509.CertPool, error) {
	text, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !AddRoots(roots, text) {
		return nil, errors.New("it contains no certificate in PEM format")
	}
	return roots, nil
}
