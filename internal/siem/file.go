package siem

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/line"
)

// File appends JSON lines to a file, made with mode 0600. When the file was
// renamed or removed, as log rotation does, the next entries go to a new one
// of the old name. A pipe, or /dev/stdout, will do as well.
type File struct {
	Path string

	file    *os.File
	regular bool // a pipe or a device cannot be synced
	buf     []byte
}

// Send implements Sink: the entries are on the disk when it returns nil.
func (f *File) Send(_ context.Context, entries []audit.Entry) error {
	if err := f.open(); err != nil {
		return errors.Join(err, f.close())
	}
	f.buf = f.buf[:0]
	for i := range entries {
		f.buf = append(line.AppendJSON(f.buf, &entries[i]), '\n')
	}
	_, err := f.file.Write(f.buf)
	if err == nil && f.regular {
		err = f.file.Sync()
	}
	if err != nil {
		return errors.Join(err, f.close())
	}
	return nil
}

// open makes sure that the open file is the one of that name.
func (f *File) open() error {
	if f.file != nil {
		here, err := f.file.Stat()
		if err == nil {
			if there, err := os.Stat(f.Path); err == nil && os.SameFile(here, there) {
				return nil
			}
		}
		if err := f.close(); err != nil {
			return err
		}
	}
	file, err := os.OpenFile(f.Path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	f.file = file
	return f.endLine()
}

// endLine ends a line that a crash or a full disk left half written: its
// entry comes again, whole.
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
