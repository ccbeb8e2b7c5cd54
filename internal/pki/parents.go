package pki

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// ParentCRLs are lists of the CAs above ours, which others sign and somebody brings here: nginx and others
// accept a certificate only with a list of every CA up to the root. Files are read again when they change.
type ParentCRLs struct {
	Files []string // PEM or DER
	Now   func() time.Time

	mu   sync.Mutex
	read map[string]parentFile
}

// parentFile is a file as it was read.
type parentFile struct {
	size    int64
	changed time.Time
	text    []byte // PEM
	lists   []*x509.RevocationList
	err     error
}

// maxParentCRL is the size of the largest file that is read.
const maxParentCRL = 64 << 20

// ParentProblem is what is wrong with a list.
type ParentProblem string

// The problems.
const (
	ParentUnreadable ParentProblem = "unreadable"
	ParentEnded      ParentProblem = "ended"
	ParentUnknown    ParentProblem = "unknown_issuer" // no CA of ours is below it, or the signature is not its own
)

// ParentReport is what is known of a list.
type ParentReport struct {
	File       string // without its folder
	Issuer     string
	NextUpdate time.Time // zero: none
	Problem    ParentProblem
}

// PEM returns all lists that can be read.
func (p *ParentCRLs) PEM() (text []byte) {
	for _, f := range p.load() {
		text = append(text, f.text...)
	}
	return text
}

// Report describes the lists; cas are the certificates that may have signed them.
func (p *ParentCRLs) Report(cas []*x509.Certificate) (reports []ParentReport) {
	if p == nil {
		return nil
	}
	for i, f := range p.load() {
		name := filepath.Base(p.Files[i])
		if f.err != nil {
			reports = append(reports, ParentReport{File: name, Problem: ParentUnreadable})
		}
		for _, list := range f.lists {
			r := ParentReport{File: name, Issuer: list.Issuer.String(), NextUpdate: list.NextUpdate}
			switch {
			case !slices.ContainsFunc(cas, func(ca *x509.Certificate) bool { return list.CheckSignatureFrom(ca) == nil }):
				r.Problem = ParentUnknown
			case !list.NextUpdate.IsZero() && p.Now().After(list.NextUpdate):
				r.Problem = ParentEnded
			}
			reports = append(reports, r)
		}
	}
	return reports
}

// load returns the files, in their order.
func (p *ParentCRLs) load() []parentFile {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.read == nil {
		p.read = map[string]parentFile{}
	}
	list := make([]parentFile, len(p.Files))
	for i, name := range p.Files {
		info, err := os.Stat(name)
		was, known := p.read[name]
		switch {
		case err != nil:
			was.err, was.changed = err, time.Time{} // what it held goes on being published
		case !known || info.Size() != was.size || !info.ModTime().Equal(was.changed):
			was = readParent(name, info, was)
		}
		p.read[name], list[i] = was, was
	}
	return list
}

func readParent(name string, info os.FileInfo, was parentFile) parentFile {
	was.size, was.changed = info.Size(), info.ModTime()
	lists, err := parseCRLs(name, info.Size())
	if was.err = err; err != nil { // perhaps it is just being written: what it held goes on being published
		return was
	}
	was.lists, was.text = lists, nil
	for _, list := range lists {
		was.text = append(was.text, pem.EncodeToMemory(&pem.Block{Type: "X509 CRL", Bytes: list.Raw})...)
	}
	return was
}

func parseCRLs(name string, size int64) (lists []*x509.RevocationList, err error) {
	if size > maxParentCRL {
		return nil, fmt.Errorf("%s is larger than %d bytes", name, maxParentCRL)
	}
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(content, []byte("-----BEGIN")) {
		list, err := x509.ParseRevocationList(content)
		return []*x509.RevocationList{list}, err
	}
	for rest := content; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "X509 CRL" {
			continue
		}
		list, err := x509.ParseRevocationList(block.Bytes)
		if err != nil {
			return nil, err
		}
		lists = append(lists, list)
	}
	if len(lists) == 0 {
		return nil, errors.New("there is no CRL in it")
	}
	return lists, nil
}
