package archive

import (
	"bufio"
	"context"
	"io"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
)

// For tests: a key without Argon2id's cost, and a smaller limit.
type (
	Deriver = func(salt []byte) []byte
	Visitor = visitor
	GCM     = gcm
)

const PieceBytes = pieceBytes

func CreateWith(dst io.WriterAt, key Deriver, h Header, limit int64) (*Writer, error) {
	return create(dst, key, h, limit)
}

func OpenWith(ctx context.Context, file io.ReaderAt, size int64, key Deriver, limit int64) (*Archive, error) {
	return open(ctx, file, size, key, limit, Use{})
}

func OpenUsingWith(ctx context.Context, file io.ReaderAt, size int64, key Deriver, use Use) (*Archive, error) {
	return open(ctx, file, size, key, MaxPayload, use)
}

func ProbeWith(start io.Reader, key Deriver) (Header, error) { return probe(start, key) }

func (p Password) Derive(salt []byte) []byte { return p.derive(salt) }

func (p Password) Text() secret.String { return p.text }

// ReadDatabase reads the SQL.
func (a *Archive) ReadDatabase(ctx context.Context, read func(sql io.Reader) error) error {
	return a.Read(ctx, Use{Database: read})
}

// Walk reads a payload that is not packed.
func Walk(r io.Reader, sql io.Writer, each func(path string, data vault.Data)) error {
	v := Use{}.visitor()
	v.database = func(r io.Reader) error {
		_, err := io.Copy(sql, r)
		return err
	}
	v.secret = func(path string, data vault.Data) error {
		each(path, data)
		return nil
	}
	_, err := walk(r, v)
	return err
}

// NewUnescaper reads the text of a JSON string from after its first quote.
func NewUnescaper(r io.Reader, size int) io.Reader {
	return &unescaper{in: bufio.NewReaderSize(r, size)}
}

// Escape writes pieces as one JSON string.
func Escape(w io.Writer, pieces ...[]byte) error {
	out := bufio.NewWriter(w)
	e := &escaper{out: out}
	_ = out.WriteByte('"')
	for _, p := range pieces {
		if _, err := e.Write(p); err != nil {
			return err
		}
	}
	if err := e.finish(); err != nil {
		return err
	}
	_ = out.WriteByte('"')
	return out.Flush()
}

func NewGCM(key, nonce []byte) (*GCM, error) { return newGCM(key, nonce) }

// Seal encrypts a message in pieces and appends the tag.
func (g *gcm) Seal(message []byte) []byte {
	stream := g.stream()
	out := make([]byte, len(message), len(message)+tagBytes)
	stream.XORKeyStream(out, message)
	for rest := out; len(rest) > 0; rest = rest[min(len(rest), pieceBytes):] {
		g.add(rest[:min(len(rest), pieceBytes)])
	}
	return append(out, g.tag()...)
}
