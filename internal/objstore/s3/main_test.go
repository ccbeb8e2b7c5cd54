package s3_test

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/objstore/s3"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
)

func TestMain(m *testing.M) { os.Exit(s3server.Main(m.Run)) }

// options are valid for the test's own bucket, on versitygw.
func options(t testing.TB) s3.Options {
	t.Helper()
	return optionsOn(t, s3server.Shared(t))
}

// onEach runs a test on each kind of server.
func onEach(t *testing.T, run func(*testing.T, *s3server.Server)) {
	t.Helper()
	for name, server := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, server(t))
		})
	}
}

func optionsOn(t testing.TB, server *s3server.Server) s3.Options {
	t.Helper()
	return s3.Options{
		Endpoint: server.Plain, Region: s3server.Region, Bucket: server.Bucket(t), AccessKeyID: s3server.AccessKeyID,
		SecretKey: secret.New(s3server.SecretKey), PathStyle: true, Attempts: 3, Pause: time.Millisecond,
		Logger: slog.New(slog.DiscardHandler),
	}
}

func open(t testing.TB, o s3.Options) *s3.Store {
	t.Helper()
	s := must.Get(s3.New(o))(t)
	t.Cleanup(func() { must.OK(t, s.Close()) })
	return s
}

// says checks that an error is a fault with a reason and a kind.
func says(t *testing.T, err error, reason string, kind error) *fault.Error {
	t.Helper()
	f, ok := fault.As(err)
	if !ok || f.Reason != reason || !errors.Is(err, kind) {
		t.Errorf("got %v, want the fault %s, which is: %v", err, reason, kind)
	}
	return f
}

func fetch(t *testing.T, link string) (int, []byte) {
	t.Helper()
	r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, link, nil))(t)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: s3server.Trusting(), DisableKeepAlives: true}}
	res := must.Get(client.Do(r))(t)
	defer res.Body.Close()
	return res.StatusCode, must.Get(io.ReadAll(res.Body))(t)
}

const key = "backup-full-20260329-000001.enc"

// absent checks that nothing exists, not even parts of an upload.
func absent(t *testing.T, s objstore.Store) {
	t.Helper()
	if _, err := s.Stat(t.Context(), key); !errors.Is(err, objstore.ErrNotFound) {
		t.Errorf("it is there: %v", err)
	}
	if n, err := s.Sweep(t.Context(), time.Now().Add(time.Hour)); n != 0 || err != nil {
		t.Errorf("%d uploads are left, %v", n, err)
	}
}

const (
	mebi  = 1 << 20
	large = 6*mebi + 345 // two parts
)
