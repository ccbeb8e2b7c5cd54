//go:build linux

package pcsc

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/tryout/vtoken"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// TestWatcher follows a real pcscd: absent at first, then with a token that is
// pulled and reinserted, then gone.
func TestWatcher(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := filepath.Join(dir, "socket") // points to where the daemon's socket will be
	w := New(link, slog.New(slog.DiscardHandler))
	events, stop := w.Listen()
	defer stop()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); w.Run(ctx) }()
	if _, _, known := w.Snapshot(); known {
		t.Fatal("the readers are known without a daemon")
	}

	h, err := vtoken.Start(t.Context(),
		vtoken.Options{StateDir: filepath.Join(dir, "state"), DriverDir: filepath.Join(os.TempDir(), "keyward-test-driver")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	must.OK(t, os.Symlink(h.SocketPath(), link))
	const reader = "Yubico YubiKey OTP+FIDO+CCID 00 00"
	expect := func(want Event) {
		t.Helper()
		if got := await.From(t, fmt.Sprint(want), events); got != want {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
	expect(Event{reader, true})
	readers, before, known := w.Snapshot()
	if !known || !cmp.Equal(readers, []string{reader}) {
		t.Fatalf("snapshot: %v %v", readers, known)
	}
	must.OK(t, h.Unplug(t.Context(), vtoken.DefaultSerial))
	expect(Event{reader, false})
	if readers, after, known := w.Snapshot(); !known || len(readers) != 0 || after <= before {
		t.Fatalf("snapshot after removal: %v %d %d %v", readers, before, after, known)
	}
	must.OK(t, h.Plug(t.Context(), vtoken.DefaultSerial))
	expect(Event{reader, true})
	must.OK(t, h.Close())
	await.That(t, "the watcher notices that pcscd ended", func() bool {
		_, _, known := w.Snapshot()
		return !known
	})
	cancel()
	<-ended
}

// table builds a daemon's response.
func table(readers map[int]struct {
	name  string
	state uint32
}) []byte {
	b := make([]byte, maxReaders*readerStruct)
	for i, r := range readers {
		copy(b[i*readerStruct:], r.name)
		binary.NativeEndian.PutUint32(b[i*readerStruct+readerName+4:], r.state)
	}
	return b
}

func TestParseReaders(t *testing.T) {
	t.Parallel()
	type r = struct {
		name  string
		state uint32
	}
	got, err := parseReaders(table(map[int]r{0: {"A 00", 0x34}, 3: {"B 01", 0x02}, 15: {"C 02", 0x04}, 7: {"", 0x04}}))
	if err != nil || !cmp.Equal(got, []string{"A 00", "C 02"}) {
		t.Errorf("got %v (%v)", got, err)
	}
	if _, err := parseReaders(make([]byte, 10)); err == nil {
		t.Error("a short table was read")
	}
}

func FuzzParseReaders(f *testing.F) {
	f.Add([]byte("Yubico"), uint32(4))
	f.Fuzz(func(t *testing.T, name []byte, state uint32) {
		b := make([]byte, maxReaders*readerStruct)
		copy(b, name)
		binary.NativeEndian.PutUint32(b[readerName+4:], state)
		readers, err := parseReaders(b)
		if err == nil && len(readers) > maxReaders {
			t.Error("too many readers")
		}
	})
}
