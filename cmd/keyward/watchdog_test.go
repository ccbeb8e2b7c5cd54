package main

import (
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/socketdir"
)

// TestWatchdog: the manager is told that the server is alive only while it answers.
func TestWatchdog(t *testing.T) {
	dir := must.Get(os.MkdirTemp(socketdir.Parent(), "watchdog"))(t)
	defer func() { must.OK(t, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "s")
	manager := must.Get(net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"}))(t)
	defer manager.Close()
	t.Setenv("NOTIFY_SOCKET", path)
	t.Setenv("WATCHDOG_USEC", "300000")

	var stuck atomic.Bool
	var answered atomic.Int32
	release := make(chan struct{})
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/livez" {
			t.Errorf("it asks itself for %s", r.URL.Path)
		}
		if stuck.Load() {
			<-release
			return
		}
		answered.Add(1)
	}))
	defer server.Close()
	defer close(release)

	log := &await.Text{}
	s := newService()
	s.ready(t.Context(), slog.New(slog.NewTextHandler(log, nil)), self{server.Listener.Addr().String(), true}, nil)
	told := func() string {
		message := make([]byte, 100)
		return string(message[:must.Get(manager.Read(message))(t)])
	}
	if got := told() + told() + told(); got != "READY=1WATCHDOG=1WATCHDOG=1" {
		t.Errorf("it tells %s", got)
	}
	stuck.Store(true)
	log.Find(t, "two attempts fail", nil, func(text string) bool { return strings.Count(text, "doesn't answer itself") == 2 })
	s.stopped()
	times := int32(2)
	for message := told(); message != "STOPPING=1"; message = told() {
		times++
	}
	if times != answered.Load() {
		t.Errorf("it answered %d times, and told its manager %d times", answered.Load(), times)
	}
}
