package archive

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/gzip"

	"github.com/keyward/keyward/internal/vault"
)

// MaxPayload is the maximum payload of a backup, in bytes of JSON (contract, "Backup and restore").
const MaxPayload = 32 << 30

// Contents counts the contents of a backup.
type Contents struct {
	Header        Header
	FileBytes     int64
	DatabaseBytes int64 // of the SQL
	Secrets       int   // paths
}

// Writer writes a backup: first the database, if the type includes it, then the
// secrets. After an error it writes nothing more, and the file is not a backup. It
// is not safe for concurrent use.
type Writer struct {
	header   Header
	sealed   *sealer
	packed   *gzip.Writer
	limited  *limiter
	out      *bufio.Writer // of JSON
	database *escaper      // nil after the end of the SQL
	sqlBytes int64
	paths    map[string]struct{}
	err      error
}

var errClosed = errors.New("archive: the backup was closed")

// Create begins a backup in dst, an empty file that no one else may read: the
// content is encrypted, except the header. It derives the key.
func Create(dst io.WriterAt, password Password, h Header) (*Writer, error) {
	if err := password.check(); err != nil {
		return nil, err
	}
	return create(dst, password.derive, h, MaxPayload)
}

func create(dst io.WriterAt, derive deriver, h Header, limit int64) (*Writer, error) {
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	h.CreatedAt, h.Checksum = h.CreatedAt.UTC(), strings.Repeat("0", 2*sha256.Size)
	sealed, err := newSealer(dst, derive, h)
	if err != nil {
		return nil, err
	}
	w := &Writer{header: h, sealed: sealed, packed: gzip.NewWriter(sealed), paths: map[string]struct{}{}}
	w.limited = &limiter{w.packed, limit}
	w.out = bufio.NewWriterSize(w.limited, pieceBytes)
	text, err := json.Marshal(h.inner())
	if err != nil {
		return nil, fmt.Errorf("archive: header: %w", err)
	}
	_, _ = fmt.Fprintf(w.out, `{"header":%s,"database_sql":"`, text)
	w.database = &escaper{out: w.out}
	return w, nil
}

// Database takes the SQL, in pieces of any size, as UTF-8, until the first secret.
func (w *Writer) Database() io.Writer { return databaseWriter{w} }

type databaseWriter struct{ *Writer }

// Write implements io.Writer.
func (w databaseWriter) Write(p []byte) (int, error) {
	switch {
	case w.err != nil:
		return 0, w.err
	case !w.header.IncludesDB:
		return 0, w.fail(errors.New("this type of backup includes no database"))
	case w.database == nil:
		return 0, w.fail(errors.New("SQL after the first secret"))
	}
	n, err := w.database.Write(p)
	return n, w.fail(err)
}

// Secret takes the document of a path; paths may come in any order, each once. The
// document must pass vault.Data.Check, and is written unchanged.
func (w *Writer) Secret(path string, data vault.Data) error {
	if w.err != nil {
		return w.err
	}
	if !w.header.IncludesKV {
		return w.fail(errors.New("this type of backup includes no secrets"))
	}
	if err := data.Check(); err != nil {
		return w.fail(fmt.Errorf("secret %q: %w", path, err))
	}
	name, err := jsontext.AppendQuote(nil, path)
	if err != nil || path == "" {
		return w.fail(errors.New("the path of a secret is empty, or not UTF-8"))
	}
	if _, twice := w.paths[path]; twice {
		return w.fail(fmt.Errorf("secret %q: a second time", path))
	}
	if err := w.endDatabase(); err != nil {
		return w.fail(err)
	}
	if len(w.paths) > 0 {
		_ = w.out.WriteByte(',')
	}
	w.paths[path] = struct{}{}
	_, _ = w.out.Write(append(name, ':'))
	_, err = w.out.Write(data)
	return w.fail(err)
}

func (w *Writer) endDatabase() error {
	if w.database == nil {
		return nil
	}
	if err := w.database.finish(); err != nil {
		return err
	}
	w.sqlBytes, w.database = w.database.size, nil
	_, err := w.out.WriteString(`","vault_secrets":{`)
	return err
}

// Close ends the backup and writes its checksum. Only once it returns nil is the file a backup.
func (w *Writer) Close() (Contents, error) {
	if w.err != nil {
		return Contents{}, w.err
	}
	if err := w.close(); err != nil {
		return Contents{}, w.fail(err)
	}
	w.err = errClosed
	return Contents{w.header, w.sealed.offset, w.sqlBytes, len(w.paths)}, nil
}

func (w *Writer) close() (err error) {
	if err = w.endDatabase(); err == nil {
		_, err = w.out.WriteString("}}")
	}
	if err == nil {
		err = w.out.Flush()
	}
	if err == nil {
		err = w.packed.Close()
	}
	if err == nil {
		w.header.Checksum, err = w.sealed.close()
	}
	return err
}

// fail records the error that ends the backup.
func (w *Writer) fail(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errTooLarge):
		w.err = payloadTooLarge()
	default:
		w.err = fmt.Errorf("archive: %w", err)
	}
	clear(w.sealed.piece)
	return w.err
}

// limiter passes on at most left bytes.
type limiter struct {
	out  io.Writer
	left int64
}

func (l *limiter) Write(p []byte) (int, error) {
	if l.left -= int64(len(p)); l.left < 0 {
		return 0, errTooLarge
	}
	return l.out.Write(p)
}

// sealer encrypts its input into the file, after the head.
type sealer struct {
	dst    io.WriterAt
	head   head
	gcm    *gcm
	stream interface{ XORKeyStream(dst, src []byte) }
	hash   hash.Hash
	piece  []byte // plaintext, until full
	offset int64  // in the file
}

func newSealer(dst io.WriterAt, derive deriver, h Header) (*sealer, error) {
	s := &sealer{dst: dst, hash: sha256.New(), piece: make([]byte, 0, pieceBytes)}
	random := make([]byte, saltBytes+nonceBytes)
	_, _ = rand.Read(random) // never fails
	s.head = head{Header: h, salt: random[:saltBytes], nonce: random[saltBytes:]}
	key := derive(s.head.salt)
	defer clear(key)
	var err error
	if s.gcm, err = newGCM(key, s.head.nonce); err != nil {
		return nil, err
	}
	s.stream = s.gcm.stream()
	return s, s.writeHead()
}

// writeHead writes the current head, whose size never changes.
func (s *sealer) writeHead() error {
	text, err := s.head.append(nil)
	if err != nil {
		return err
	}
	if _, err := s.dst.WriteAt(text, 0); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	s.offset = max(s.offset, int64(len(text)))
	return nil
}

func (s *sealer) Write(p []byte) (int, error) {
	size := len(p)
	for len(p) > 0 {
		n := min(len(p), pieceBytes-len(s.piece))
		s.piece, p = append(s.piece, p[:n]...), p[n:]
		if len(s.piece) == pieceBytes {
			if err := s.flush(); err != nil {
				return 0, err
			}
		}
	}
	return size, nil
}

// flush encrypts the piece in place and writes it.
func (s *sealer) flush() error {
	s.stream.XORKeyStream(s.piece, s.piece)
	s.gcm.add(s.piece)
	return s.put(s.piece)
}

func (s *sealer) put(p []byte) error {
	_, _ = s.hash.Write(p)
	_, err := s.dst.WriteAt(p, s.offset)
	s.offset += int64(len(p))
	s.piece = s.piece[:0]
	return err
}

func (s *sealer) close() (checksum string, err error) {
	if err := s.flush(); err != nil {
		return "", err
	}
	if err := s.put(s.gcm.tag()); err != nil {
		return "", err
	}
	s.head.Checksum = hex.EncodeToString(s.hash.Sum(nil))
	return s.head.Checksum, s.writeHead()
}
