package archive_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// lines returns count lines of incompressible SQL.
func lines(count int) string {
	random := rand.NewChaCha8([32]byte{7})
	var sql strings.Builder
	sum := make([]byte, 32)
	for i := range count {
		_, _ = random.Read(sum)
		fmt.Fprintf(&sql, "INSERT INTO audit_entries VALUES (%d, 'hwkey.released', 'Zoë \"Z\" \\', '%x');\n", i, sum)
	}
	return sql.String()
}

func secrets(count int) map[string]string {
	all := map[string]string{"_pki/ca": `{"key":"-----BEGIN\n","revoked":[1,2.50,1e400],"n":12345678901234567890}`}
	for i := range count {
		all[fmt.Sprintf("%08d/secrets", i)] = fmt.Sprintf(`{ "pin" : "%08d", "puk":null}`, i*7)
	}
	return all
}

// TestRoundTrip: each type returns what was written, byte for byte, and counts it.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind  archive.Type
		audit bool
		content
	}{
		{archive.Full, true, content{lines(5000), secrets(3000)}},
		{archive.Full, false, content{"", map[string]string{}}},
		{archive.Database, true, content{lines(1) + "\x00\x7f\u2028\U0001f511", map[string]string{}}},
		{archive.Vault, true, content{"", secrets(2)}},
	} {
		h := archive.NewHeader(c.kind, when, c.audit)
		file := write(t, h, c.content)
		a, got, err := read(file, quick("right"))
		if err != nil || got.sql != c.sql || !maps.Equal(got.secrets, c.secrets) {
			t.Errorf("%s: other content: %v", c.kind, err)
			continue
		}
		h.Checksum = a.Header.Checksum
		if a.Header != h || a.DatabaseBytes != int64(len(c.sql)) || a.Secrets != len(c.secrets) || a.FileBytes != int64(len(file)) {
			t.Errorf("%s: %+v", c.kind, a.Contents)
		}
		sealed := file[bytes.IndexByte(file, '}')+1+32+12:]
		if sum := sha256.Sum256(sealed); hex.EncodeToString(sum[:]) != h.Checksum {
			t.Errorf("%s: the checksum is not that of ciphertext and tag", c.kind)
		}
		for _, start := range [][]byte{file, file[:min(len(file), archive.ProbeBytes)]} {
			if probed, err := archive.ProbeWith(bytes.NewReader(start), quick("right")); err != nil || probed != h {
				t.Errorf("%s: the probe gives %+v, %v", c.kind, probed, err)
			}
			if _, err := archive.ProbeWith(bytes.NewReader(start), quick("wrong")); !fault.Is(err, fault.BackupPasswordWrong) {
				t.Errorf("%s: the probe with another password gives %v", c.kind, err)
			}
		}
		if public, err := archive.ReadHeader(bytes.NewReader(file[:min(len(file), archive.MaxHead)])); err != nil || public != h {
			t.Errorf("%s: the header in front is %+v, %v", c.kind, public, err)
		}
		if _, err := open(file, quick("wrong")); !fault.Is(err, fault.BackupPasswordWrong) {
			t.Errorf("%s: another password gives %v", c.kind, err)
		}
	}
}

// TestNoTwoAreAlike: the same content gets a new salt and nonce each time.
func TestNoTwoAreAlike(t *testing.T) {
	t.Parallel()
	h := archive.NewHeader(archive.Full, when, true)
	a, b := write(t, h, content{}), write(t, h, content{})
	from := bytes.IndexByte(a, '}') + 1
	if bytes.Equal(a[from:from+32], b[from:from+32]) || bytes.Equal(a[from+32:from+44], b[from+32:from+44]) {
		t.Error("one salt or nonce twice")
	}
}

// TestEveryByteCounts: a file with any bit flipped, or cut anywhere, is refused.
func TestEveryByteCounts(t *testing.T) {
	t.Parallel()
	file := write(t, archive.NewHeader(archive.Full, when, true), content{"SELECT 1;\n", secrets(1)})
	for i := range file {
		broken := bytes.Clone(file)
		broken[i] ^= 1 << (i % 8)
		if c := file[i]; i%8 == 5 && 'a' <= c && c <= 'f' { // in the checksum, case does not matter
			broken[i] ^= 1
		}
		if _, err := open(broken, quick("right")); !isFault(err) {
			t.Errorf("byte %d flipped: %v", i, err)
		}
		if _, err := open(file[:i], quick("right")); !fault.Is(err, fault.BackupTruncated) && !fault.Is(err, fault.BackupCorrupt) {
			t.Errorf("cut after %d bytes: %v", i, err)
		}
	}
}

func isFault(err error) bool {
	f, ok := fault.As(err)
	return ok && f.Detail != ""
}

// TestWhatAWriterRefuses: what could not be restored is not written, and the file is
// then no backup.
func TestWhatAWriterRefuses(t *testing.T) {
	t.Parallel()
	sql := func(text string) func(*archive.Writer) error {
		return func(w *archive.Writer) error {
			_, err := io.WriteString(w.Database(), text)
			return err
		}
	}
	put := func(path, data string) func(*archive.Writer) error {
		return func(w *archive.Writer) error { return w.Secret(path, vault.Data(data)) }
	}
	for name, c := range map[string]struct {
		kind  archive.Type
		steps []func(*archive.Writer) error // the last is refused
	}{
		"SQL that is not UTF-8":      {archive.Full, []func(*archive.Writer) error{sql("a\xffb")}},
		"SQL cut in a character":     {archive.Full, []func(*archive.Writer) error{sql("a\xc3"), put("a/b", "{}")}},
		"SQL after a secret":         {archive.Full, []func(*archive.Writer) error{put("a/b", "{}"), sql("a")}},
		"SQL in a vault backup":      {archive.Vault, []func(*archive.Writer) error{sql("a")}},
		"a secret in a database one": {archive.Database, []func(*archive.Writer) error{put("a/b", "{}")}},
		"a secret twice":             {archive.Full, []func(*archive.Writer) error{put("a/b", "{}"), put("c/d", "{}"), put("a/b", `{"x":1}`)}},
		"a text as a secret":         {archive.Full, []func(*archive.Writer) error{put("a/b", `"secret"`)}},
		"a broken secret":            {archive.Full, []func(*archive.Writer) error{put("a/b", `{"secret":`)}},
		"a field twice":              {archive.Full, []func(*archive.Writer) error{put("a/b", `{"secret":1,"secret":2}`)}},
		"no path":                    {archive.Full, []func(*archive.Writer) error{put("", `{}`)}},
		"a path that is not UTF-8":   {archive.Full, []func(*archive.Writer) error{put("a\xff", `{}`)}},
	} {
		file := &memory{}
		w := must.Get(archive.CreateWith(file, quick("right"), archive.NewHeader(c.kind, when, true), archive.MaxPayload))(t)
		for i, step := range c.steps {
			switch err := step(w); {
			case i < len(c.steps)-1 && err != nil:
				t.Errorf("%s: step %d: %v", name, i, err)
			case i == len(c.steps)-1 && (err == nil || strings.Contains(err.Error(), `"secret"`)):
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := w.Close(); err == nil {
			t.Errorf("%s: the backup ends well", name)
		}
		if _, err := open(file.bytes, quick("right")); !isFault(err) {
			t.Errorf("%s: it opens: %v", name, err)
		}
	}
}

// full is a disk with limited space.
type full struct {
	memory
	room int64
}

var errFull = errors.New("no space left on device")

func (f *full) WriteAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > f.room {
		return 0, errFull
	}
	return f.memory.WriteAt(p, at)
}

// TestDiskFull: wherever the space ends, the writer returns an error and the file is no backup.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	sql := lines(3000)
	h := archive.NewHeader(archive.Full, when, true)
	size := int64(len(write(t, h, content{sql: sql})))
	for room := int64(0); room < size; room += size / 7 {
		file := &full{room: room}
		w, err := archive.CreateWith(file, quick("right"), h, archive.MaxPayload)
		if err == nil {
			_, _ = io.WriteString(w.Database(), sql)
			_, err = w.Close()
		}
		if !errors.Is(err, errFull) {
			t.Errorf("room for %d of %d bytes: %v", room, size, err)
		}
		if _, err := open(file.bytes, quick("right")); !isFault(err) {
			t.Errorf("room for %d of %d bytes: it opens: %v", room, size, err)
		}
	}
}

// TestLimit: neither reading nor writing exceeds the payload limit.
func TestLimit(t *testing.T) {
	t.Parallel()
	const limit = 1 << 20
	h := archive.NewHeader(archive.Full, when, true)
	zeros := strings.Repeat("0", limit)
	w := must.Get(archive.CreateWith(&memory{}, quick("right"), h, limit))(t)
	_, err := io.WriteString(w.Database(), zeros)
	if err == nil {
		_, err = w.Close()
	}
	if !fault.Is(err, fault.BackupTooLarge) {
		t.Errorf("written: %v", err)
	}
	bomb := write(t, h, content{sql: zeros})
	for limit, fits := range map[int64]bool{limit: false, 2 * limit: true} {
		_, err := archive.OpenWith(context.Background(), bytes.NewReader(bomb), int64(len(bomb)), quick("right"), limit)
		if fits && err != nil || !fits && !fault.Is(err, fault.BackupTooLarge) {
			t.Errorf("read with a limit of %d: %v", limit, err)
		}
	}
	// A file that is too large is not read at all.
	derive := func([]byte) []byte {
		t.Error("a key was derived for it")
		return make([]byte, 32)
	}
	_, err = archive.OpenWith(context.Background(), bytes.NewReader(bomb), archive.MaxPayload*2, derive, archive.MaxPayload)
	if !fault.Is(err, fault.BackupTooLarge) {
		t.Errorf("64 GiB: %v", err)
	}
}

// TestTheFilesOwnErrors: they are returned unchanged, and are no fault of the backup.
func TestTheFilesOwnErrors(t *testing.T) {
	t.Parallel()
	file := write(t, archive.NewHeader(archive.Full, when, true), content{lines(3000), secrets(2)})
	broken := errors.New("input/output error")
	for _, at := range []int64{0, 100, int64(len(file)) / 2} {
		_, err := archive.OpenWith(t.Context(), failing{bytes.NewReader(file), at, broken}, int64(len(file)), quick("right"), endless)
		if !errors.Is(err, broken) || isFault(err) {
			t.Errorf("reading fails at %d: %v", at, err)
		}
	}
}

// failing is a file that cannot be read beyond some byte.
type failing struct {
	io.ReaderAt
	from int64
	err  error
}

func (f failing) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > f.from {
		return 0, f.err
	}
	return f.ReaderAt.ReadAt(p, at)
}
