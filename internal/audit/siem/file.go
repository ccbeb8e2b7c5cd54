package siem

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/line"
)

// File appends JSON lines to a file, created with mode 0600. If the file is renamed
// or removed, as by log rotation, the next entries go to a new file with the same
// name. A pipe, or /dev/stdout, works as well; a pipe without a reader, or with one
// that does not read, is an error.
type File struct {
	Path string

	patience time.Duration // for tests, with a pipe's reader; zero: filePatience
	file     *os.File
	regular  bool // a pipe or a device cannot be synced
	torn     bool // a pipe has taken only part of a line
	buf      []byte
}

// filePatience is how long a pipe's reader may take for a line.
const filePatience = 10 * time.Second

// Send implements Sink: once it returns nil, the entries are on disk or in the pipe.
func (f *File) Send(ctx context.Context, entries []audit.Entry) error {
	if err := f.open(); err != nil {
		return errors.Join(err, f.close())
	}
	if !f.regular {
		if err := f.pass(ctx, entries); err != nil {
			return errors.Join(err, f.close())
		}
		return nil
	}
	f.buf = f.buf[:0]
	for i := range entries {
		f.buf = append(line.AppendJSON(f.buf, &entries[i]), '\n')
	}
	_, err := f.file.Write(f.buf)
	if err == nil {
		err = f.file.Sync()
	}
	if err != nil {
		return errors.Join(err, f.close())
	}
	return nil
}

// pass writes line by line to a file that may have a reader, each line with a
// deadline. Files that support no deadline do not block, since they are opened with O_NONBLOCK.
func (f *File) pass(ctx context.Context, entries []audit.Entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// AfterFunc may run before a deadline is set below; so check ctx after setting it.
	stop := context.AfterFunc(ctx, func() { _ = f.file.SetWriteDeadline(time.Now()) })
	defer stop()
	for i := range entries {
		f.buf = f.buf[:0]
		if f.torn {
			f.buf = append(f.buf, '\n')
		}
		f.buf = append(line.AppendJSON(f.buf, &entries[i]), '\n')
		err := f.file.SetWriteDeadline(time.Now().Add(cmp.Or(f.patience, filePatience)))
		if err != nil && !errors.Is(err, os.ErrNoDeadline) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := f.file.Write(f.buf)
		if n > 0 {
			f.torn = f.buf[n-1] != '\n'
		}
		if err != nil {
			return errors.Join(err, ctx.Err())
		}
	}
	return nil
}

// open makes sure that the open file is still the one at Path.
func (f *File) open() error {
	if f.file != nil {
		open, err := f.file.Stat()
		if err == nil {
			if named, err := os.Stat(f.Path); err == nil && os.SameFile(open, named) {
				return nil
			}
		}
		if err := f.close(); err != nil {
			return err
		}
	}
	// Opening a pipe for reading, too, would make this process its reader, and without
	// O_NONBLOCK the open would wait for one.
	flags := os.O_RDWR | os.O_APPEND | os.O_CREATE
	if info, err := os.Stat(f.Path); err == nil && !info.Mode().IsRegular() {
		flags = os.O_WRONLY | syscall.O_NONBLOCK
	}
	file, err := os.OpenFile(f.Path, flags, 0o600)
	if err != nil {
		return err
	}
	f.file = file
	return f.endLine()
}

// endLine ends a line left incomplete by a crash or a full disk: its entry is
// written again, whole.
func (f *File) endLine() error {
	info, err := f.file.Stat()
	if err != nil {
		return err
	}
	if f.regular = info.Mode().IsRegular(); !f.regular || info.Size() == 0 {
		return nil
	}
	last := make([]byte, 1)
	if _, err := f.file.ReadAt(last, info.Size()-1); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if last[0] == '\n' {
		return nil
	}
	_, err = f.file.WriteString("\n")
	return err
}

func (f *File) close() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	return err
}

// Check implements Sink.
func (f *File) Check() error { return nil }

// Settle implements Sink.
func (f *File) Settle() time.Duration { return 0 }

// Finish implements Sink.
func (f *File) Finish(context.Context) error { return f.close() }
