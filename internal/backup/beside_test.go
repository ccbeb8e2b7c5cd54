package backup

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"
)

var errBroken = errors.New("broken")

// fullAfter takes so many bytes.
type fullAfter struct{ left int }

func (w *fullAfter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

// panics is a reader and a writer.
type panics struct{}

func (panics) Read([]byte) (int, error)  { panic("a slip") }
func (panics) Write([]byte) (int, error) { panic("a slip") }

func TestBehindAndAhead(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, piece - 1, piece, piece + 1, 3*piece + 7} {
		want := make([]byte, size)
		for i := range want {
			want[i] = byte(rand.Uint32())
		}
		var got bytes.Buffer
		err := behind(&got, func(w io.Writer) error {
			for rest := want; len(rest) > 0; {
				n := min(1+rand.IntN(piece), len(rest))
				if _, err := w.Write(rest[:n]); err != nil {
					return err
				}
				rest = rest[n:]
			}
			return nil
		})
		if err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%d bytes became %d: %v", size, got.Len(), err)
		}
		var read []byte
		err = ahead(bytes.NewReader(want), func(r io.Reader) (err error) { read, err = io.ReadAll(r); return err })
		if err != nil || !bytes.Equal(read, want) {
			t.Errorf("of %d bytes %d were read: %v", size, len(read), err)
		}
	}
}

func TestBehindAndAheadFail(t *testing.T) {
	t.Parallel()
	zeros := make([]byte, 10*piece)
	for what, tried := range map[string]struct {
		err  error
		want error
	}{
		"what writes":                  {behind(io.Discard, func(io.Writer) error { return errBroken }), errBroken},
		"what is written to":           {behind(&fullAfter{piece}, func(w io.Writer) error { _, err := w.Write(zeros); return err }), errBroken},
		"what is written to, at last":  {behind(&fullAfter{1}, func(w io.Writer) error { _, err := w.Write(zeros[:9]); return err }), errBroken},
		"what is written to, a panic":  {behind(panics{}, func(w io.Writer) error { _, err := w.Write(zeros); return err }), errPanicked},
		"what is read":                 {ahead(iotest.ErrReader(errBroken), drain), errBroken},
		"what is read, and nobody did": {ahead(iotest.ErrReader(errBroken), func(io.Reader) error { return nil }), errBroken},
		"what is read, a panic":        {ahead(panics{}, drain), errPanicked},
		"what reads":                   {ahead(bytes.NewReader(zeros), func(io.Reader) error { return errBroken }), errBroken},
		"none, though not all is read": {ahead(bytes.NewReader(zeros), func(io.Reader) error { return nil }), nil},
	} {
		if !errors.Is(tried.err, tried.want) {
			t.Errorf("%s: %v, not %v", what, tried.err, tried.want)
		}
	}
}

func drain(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err }
