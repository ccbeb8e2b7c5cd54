package backup

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
)

// piece is how much goes from one goroutine to the other at once, in bytes.
const piece = 128 << 10

// errEnough ends the reading of what nobody takes any more.
var errEnough = errors.New("no more is taken")

// behind gives write a writer, and writes to w what it is given on a goroutine of its
// own: the database is read on one processor and packed on another. The error is that
// of write, or of w. It returns when w is no longer used.
func behind(w io.Writer, write func(io.Writer) error) error {
	source, sink := io.Pipe()
	wait := carry(w, source, func(err error) { source.CloseWithError(err) })
	b := bufio.NewWriterSize(sink, piece)
	err := write(b)
	if err == nil {
		err = b.Flush()
	}
	sink.CloseWithError(err)
	carried := wait()
	if err != nil {
		return err
	}
	return carried
}

// ahead gives read what r has, which is read on a goroutine of its own: a backup is
// unpacked on one processor and looked at on another. The error is that of read, or of
// r, of which read need not take all. It returns when r is no longer used.
func ahead(r io.Reader, read func(io.Reader) error) error {
	source, sink := io.Pipe()
	wait := carry(sink, r, func(err error) { sink.CloseWithError(err) })
	err := read(bufio.NewReaderSize(source, piece))
	source.CloseWithError(errEnough)
	if carried := wait(); err == nil && !errors.Is(carried, errEnough) {
		err = carried
	}
	return err
}

// carry copies on a goroutine; over is told how it ended, and then who waits.
func carry(to io.Writer, from io.Reader, over func(error)) (wait func() error) {
	var ended sync.WaitGroup
	var err error
	ended.Go(func() {
		err = copied(to, from)
		over(err)
	})
	return func() error { ended.Wait(); return err }
}

// copied is io.Copy by pieces, whose panic is an error as that of a job is.
func copied(to io.Writer, from io.Reader) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v\n%s", errPanicked, p, debug.Stack())
		}
	}()
	_, err = io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{from}, make([]byte, piece))
	return err
}
