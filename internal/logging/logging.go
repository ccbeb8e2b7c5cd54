// Package logging makes the server's log: log/slog, as JSON or text, times in
// UTC. Secrets are secret.String, which no handler can print.
package logging

import (
	"context"
	"io"
	"log/slog"
)

// New returns a logger that writes lines of at least the level to w. Format is
// "json" or "text".
func New(w io.Writer, level slog.Level, format string) *slog.Logger {
	o := &slog.HandlerOptions{Level: level}
	if format == "text" {
		return slog.New(utc{slog.NewTextHandler(w, o)})
	}
	return slog.New(utc{slog.NewJSONHandler(w, o)})
}

// utc writes every record's time in UTC. (ReplaceAttr could, but slows down
// every attribute of every line.)
type utc struct{ slog.Handler }

func (h utc) Handle(ctx context.Context, r slog.Record) error {
	r.Time = r.Time.UTC()
	return h.Handler.Handle(ctx, r)
}

func (h utc) WithAttrs(attrs []slog.Attr) slog.Handler { return utc{h.Handler.WithAttrs(attrs)} }

func (h utc) WithGroup(name string) slog.Handler { return utc{h.Handler.WithGroup(name)} }
