// Package logging makes the server's log: log/slog, as JSON or text, times in
// UTC. Secrets are secret.String, which no handler can print.
package logging

import (
	"io"
	"log/slog"
)

// New makes a logger that writes lines of at least the level to w. Format is
// "json" or "text".
func New(w io.Writer, level slog.Level, format string) *slog.Logger {
	o := &slog.HandlerOptions{Level: level, ReplaceAttr: inUTC}
	if format == "text" {
		return slog.New(slog.NewTextHandler(w, o))
	}
	return slog.New(slog.NewJSONHandler(w, o))
}

func inUTC(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey && a.Value.Kind() == slog.KindTime {
		a.Value = slog.TimeValue(a.Value.Time().UTC())
	}
	return a
}
