package intentlog

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/vault"
)

// pageSize is how many entries a full page has.
const pageSize = 128

// record is what is logged of an entry.
type releaseRecord struct {
	id   int64
	leaf chain.Hash // of the whole entry
}

// page is a page of a token's log: the ids of audit entries in the order in which they were
// logged, 16 bytes of each one's hash, and a hash chained over all of the token's entries. So
// the vault writes some 3 kB at most for a release, however many there were. The entry itself
// names account, session, fields, reason and the fingerprint of the key.
type page struct {
	number int   // 1, 2, …
	count  int64 // entries up to its end, including earlier pages
	before chain.Hash
	marks  []chain.Mark // in the order they were logged
	hash   chain.Hash   // after the last of them
}

// open returns a token's first page, empty.
func firstPage(serial string) page {
	text := func(b []byte, s string) []byte { return append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...) }
	h := chain.Hash(sha256.Sum256(text(text(nil, "keyward release log 1"), serial)))
	return page{number: 1, before: h, hash: h}
}

// next returns the empty page after a full one.
func (p page) next() page {
	return page{number: p.number + 1, count: p.count, before: p.hash, hash: p.hash}
}

func (p page) full() bool { return len(p.marks) >= pageSize }

// has also compares the hash: a restored database reuses ids.
func (p page) has(r releaseRecord) bool { return slices.Contains(p.marks, chain.MarkOf(r.id, r.leaf)) }

// with returns the page with one more entry.
func (p page) with(r releaseRecord) page {
	p.marks = append(slices.Clip(p.marks), chain.MarkOf(r.id, r.leaf))
	p.hash = link(p.hash, r.leaf)
	p.count++
	return p
}

func link(previous, leaf chain.Hash) chain.Hash {
	return sha256.Sum256(append(previous[:], leaf[:]...))
}

// wirePage is a page's encoding in the vault; fields may be added, never changed or removed.
type wirePage struct {
	Page    int    `json:"page"`
	Count   int64  `json:"count"`
	Before  string `json:"before"`  // hex
	Entries string `json:"entries"` // base64 of marks; see encodeMarks
	Hash    string `json:"hash"`    // hex
}

func (p page) encode() (vault.Data, error) {
	return vault.Encode(wirePage{p.number, p.count, p.before.String(), encodeMarks(p.marks), p.hash.String()})
}

var errForm = errors.New("a page of the release log in the vault is not of its form")

func decodePage(data vault.Data) (page, error) {
	var w wirePage
	if err := data.Decode(&w); err != nil {
		return page{}, errForm
	}
	p := page{number: w.Page, count: w.Count}
	var err error
	if p.marks, err = decodeMarks(w.Entries); err != nil {
		return page{}, err
	}
	before, err := hash(w.Before)
	after, err2 := hash(w.Hash)
	if err != nil || err2 != nil || p.number < 1 || len(p.marks) > pageSize ||
		p.count != int64(p.number-1)*pageSize+int64(len(p.marks)) {
		return page{}, errForm
	}
	p.before, p.hash = before, after
	return p, nil
}

func hash(text string) (h chain.Hash, err error) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != len(h) {
		return h, errForm
	}
	return chain.Hash(raw), nil
}

// encodeMarks writes for each mark the difference of its id from the previous one
// (zigzag LEB128; the first from 0), then its bytes.
func encodeMarks(marks []chain.Mark) string {
	raw := make([]byte, 0, len(marks)*(len(chain.Mark{}.Sum)+2))
	var last int64
	for _, m := range marks {
		raw = append(binary.AppendVarint(raw, m.ID-last), m.Sum[:]...)
		last = m.ID
	}
	return base64.StdEncoding.EncodeToString(raw)
}

func decodeMarks(text string) ([]chain.Mark, error) {
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, errForm
	}
	var marks []chain.Mark
	var last int64
	for len(raw) > 0 {
		distance, n := binary.Varint(raw)
		var m chain.Mark
		if n <= 0 || len(raw) < n+len(m.Sum) {
			return nil, errForm
		}
		last += distance
		m.ID = last
		copy(m.Sum[:], raw[n:])
		marks, raw = append(marks, m), raw[n+len(m.Sum):]
	}
	return marks, nil
}

// path returns the path of a token's open page.
func openPagePath(serial string) string { return serial + "/releases" }

// closedPath returns the path of a closed page.
func closedPath(serial string, number int) string {
	return fmt.Sprintf("%s/%d", openPagePath(serial), number)
}
