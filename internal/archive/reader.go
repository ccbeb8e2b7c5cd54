package archive

import (
	"bufio"
	"context"
	"crypto/cipher"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"hash"
	"io"

	"github.com/klauspost/compress/gzip"

	"github.com/keyward/keyward/internal/vault"
)

// maxFile is more than a backup of MaxPayload bytes can have: gzip adds less than
// 0.1% to incompressible data.
const maxFile = MaxPayload + MaxPayload/1024 + int64(MaxHead)

// Archive is a backup that was checked and can be read.
type Archive struct {
	Contents

	file  io.ReaderAt
	head  head
	gcm   *gcm
	limit int64
}

// Use says what to do with the contents of a backup; either function may be nil.
type Use struct {
	// Database gets the SQL.
	Database func(sql io.Reader) error
	// Secret gets the secrets one by one, in the order of the file.
	Secret func(path string, data vault.Data) error
}

// Open checks a whole file of that size, as described in the package comment. It
// reads it twice. The file must not change until the last call; Read notices if it does.
func Open(ctx context.Context, file io.ReaderAt, size int64, password Password) (*Archive, error) {
	return OpenUsing(ctx, file, size, password, Use{})
}

// OpenUsing is Open, and hands out the contents in its second reading, when checksum
// and tag are known to be right. It avoids a third reading if what was handed out
// can be discarded: it only counts without an error, since the rest may be malformed.
func OpenUsing(ctx context.Context, file io.ReaderAt, size int64, password Password, use Use) (*Archive, error) {
	return open(ctx, file, size, password.derive, MaxPayload, use)
}

func open(ctx context.Context, file io.ReaderAt, size int64, derive deriver, limit int64, use Use) (*Archive, error) {
	head, err := readHead(io.NewSectionReader(file, 0, size))
	switch {
	case err != nil:
		return nil, err
	case size > maxFile:
		return nil, fileTooLarge()
	case size-head.size <= tagBytes:
		return nil, truncated(malformed("there is no ciphertext"))
	}
	a := &Archive{Contents: Contents{Header: head.Header, FileBytes: size}, file: file, head: head, limit: limit}
	key := derive(head.salt)
	defer clear(key)
	if a.gcm, err = newGCM(key, head.nonce); err != nil {
		return nil, err
	}
	if err := a.verify(ctx); err != nil {
		return nil, err
	}
	return a, a.survey(ctx, use.visitor())
}

// verify compares checksum and tag. A right checksum with a wrong tag means a wrong
// password, or a changed salt or nonce, which no checksum covers.
func (a *Archive) verify(ctx context.Context) error {
	c := a.ciphertext(ctx)
	piece := make([]byte, pieceBytes)
	for c.err == nil {
		n, _ := io.ReadFull(reader(c.read), piece) // c keeps the error
		a.gcm.add(piece[:n])
	}
	switch {
	case c.err == errChanged: //nolint:errorlint // it is set as it is, and nothing else means it
		return corruptData()
	case !errors.Is(c.err, io.EOF):
		return c.err
	case subtle.ConstantTimeCompare(a.gcm.tag(), c.tag) != 1:
		return wrongPassword()
	}
	return nil
}

// survey reads the payload once: it must have the right form, its header must agree
// with the one in front, and it must contain what they say.
func (a *Archive) survey(ctx context.Context, use visitor) error {
	found, err := a.walk(ctx, visitor{
		header: a.Header.agree,
		database: func(sql io.Reader) error {
			counted := &counting{in: sql}
			err := use.database(counted)
			if err == nil { // the rest
				_, err = io.Copy(io.Discard, counted)
			}
			a.DatabaseBytes = counted.bytes
			return err
		},
		secret: func(path string, data vault.Data) error {
			a.Secrets++
			return use.secret(path, data)
		},
	})
	switch h := a.Header; {
	case err != nil:
		return err
	case h.IncludesDB && !found.database, h.IncludesKV && !found.secrets:
		return corruptPayload(malformed("the payload lacks what its header says"))
	case !h.IncludesDB && a.DatabaseBytes > 0, !h.IncludesKV && a.Secrets > 0:
		return corruptPayload(malformed("the payload has more than its header says"))
	}
	return nil
}

// Read hands out the contents again. What was read only counts if it returns nil,
// since the file is verified again meanwhile. An error of a function ends it and is returned.
func (a *Archive) Read(ctx context.Context, use Use) error {
	_, err := a.walk(ctx, use.visitor())
	return err
}

// ReadSecrets hands the secrets one by one to a function, as Read does.
func (a *Archive) ReadSecrets(ctx context.Context, read func(path string, data vault.Data) error) error {
	return a.Read(ctx, Use{Secret: read})
}

// visitor ignores everything else.
func (u Use) visitor() visitor {
	v := visitor{header: func(Header) error { return nil }, database: u.Database, secret: u.Secret}
	if v.database == nil {
		v.database = func(io.Reader) error { return nil }
	}
	if v.secret == nil {
		v.secret = func(string, vault.Data) error { return nil }
	}
	return v
}

// counting counts what is read.
type counting struct {
	in    io.Reader
	bytes int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.bytes += int64(n)
	return n, err
}

// walk reads the payload from the file again.
func (a *Archive) walk(ctx context.Context, v visitor) (members, error) {
	file := a.ciphertext(ctx)
	file.stream = a.gcm.stream()
	found, plain, err := unpack(reader(file.read), a.limit, v)
	var theirs visited
	switch {
	case err == nil:
		return found, nil
	case file.err == errChanged: //nolint:errorlint // as above
		return found, changed()
	case file.err != nil && !errors.Is(file.err, io.EOF):
		return found, file.err
	case plain.left < 0:
		return found, fileTooLarge()
	case errors.As(err, &theirs):
		return found, theirs.error
	}
	return found, corruptPayload(err)
}

// unpack walks a packed payload and checks that nothing follows it.
func unpack(in io.Reader, limit int64, v visitor) (found members, plain *bounded, err error) {
	packed := bufio.NewReaderSize(in, pieceBytes)
	plain = &bounded{left: limit}
	z, err := gzip.NewReader(packed)
	if err != nil {
		return found, plain, malformed("the payload is not packed by gzip")
	}
	z.Multistream(false)
	plain.in = z
	if found, err = walk(plain, v); err != nil {
		return found, plain, err
	}
	switch _, err = packed.ReadByte(); {
	case err == nil:
		return found, plain, malformed("data after the gzip stream")
	case !errors.Is(err, io.EOF):
		return found, plain, err
	}
	return found, plain, nil
}

// bounded returns at most left bytes.
type bounded struct {
	in   io.Reader
	left int64 // negative: there were more
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, errTooLarge
	}
	n, err := b.in.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// errChanged ends a ciphertext with a different checksum.
var errChanged = errors.New("archive: the checksum is another")

// ciphertext reads the part between head and tag, decrypted if there is a stream.
type ciphertext struct {
	ctx    context.Context
	in     io.Reader
	hash   hash.Hash
	tag    []byte
	want   string        // the checksum
	stream cipher.Stream // or nil
	err    error         // of the file or the context; io.EOF after the end if the checksum is right
	file   io.ReaderAt
	end    int64 // offset of the tag
}

func (a *Archive) ciphertext(ctx context.Context) *ciphertext {
	end := a.FileBytes - tagBytes
	return &ciphertext{
		ctx: ctx, in: io.NewSectionReader(a.file, a.head.size, end-a.head.size), hash: sha256.New(), want: a.head.Checksum,
		file: a.file, end: end,
	}
}

func (c *ciphertext) read(p []byte) (n int, err error) {
	if c.err == nil {
		c.err = c.ctx.Err()
	}
	if c.err != nil {
		return 0, c.err
	}
	n, err = c.in.Read(p)
	_, _ = c.hash.Write(p[:n])
	if c.stream != nil {
		c.stream.XORKeyStream(p[:n], p[:n])
	}
	switch {
	case errors.Is(err, io.EOF):
		c.err = c.finish()
	case err != nil:
		c.err = err
	}
	return n, c.err
}

// finish reads the tag and compares the checksum, which covers both.
func (c *ciphertext) finish() error {
	c.tag = make([]byte, tagBytes)
	n, err := c.file.ReadAt(c.tag, c.end)
	switch {
	case n < tagBytes && ended(err):
		return errChanged
	case n < tagBytes:
		return err
	}
	_, _ = c.hash.Write(c.tag)
	if hex.EncodeToString(c.hash.Sum(nil)) != c.want {
		return errChanged
	}
	return io.EOF
}
