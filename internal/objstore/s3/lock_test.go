package s3_test

import (
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/objstore/s3"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
)

func listing(t *testing.T, s objstore.Store) (keys []string) {
	t.Helper()
	must.OK(t, s.Each(t.Context(), func(o objstore.Object) error { keys = append(keys, o.Key); return nil }))
	return keys
}

// locking is a store on a bucket with Object Lock, and one that writes there without a lock.
func locking(t *testing.T, server *s3server.Server) (o s3.Options, free *s3.Store) {
	t.Helper()
	o = optionsOn(t, server)
	o.Bucket = server.Locking(t)
	free = open(t, o)
	o.Lock = s3.Lock{Mode: "COMPLIANCE", Days: 3}
	return o, free
}

// A locked object stays until its time, neither deleted nor hidden, and so does what
// was to be deleted with it.
func TestLocked(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, server *s3server.Server) {
		o, free := locking(t, server)
		now := time.Now()
		o.Now = func() time.Time { return now }
		s := open(t, o)
		must.Get(free.Put(t.Context(), "beside", strings.NewReader("x")))(t)
		var want []string
		for n, size := range []int{10, large} {
			name := objstore.Name{Type: "full", At: time.Unix(int64(n), 0)}.Key("")
			must.Get(s.Put(t.Context(), name, struct{ io.Reader }{strings.NewReader(strings.Repeat("x", size))}))(t)
			err := s.Delete(t.Context(), "beside", name)
			f := says(t, err, "backup_object_locked_until", objstore.ErrLocked)
			until := now.AddDate(0, 0, 3).UTC().Format("2006-01-02 15:04 UTC")
			if f != nil && (f.Params["until"] != until || f.Code != fault.Conflict) {
				t.Errorf("%d bytes: not until %s: %v", size, until, err)
			}
			want = append(want, name)
		}
		must.Get(free.Put(t.Context(), key, strings.NewReader("x")))(t)
		must.OK(t, free.Hold(t.Context(), key))
		says(t, free.Delete(t.Context(), "beside", key), "backup_object_held", objstore.ErrLocked)
		if diff := cmp.Diff(append(want, key), listing(t, s)); diff != "" {
			t.Errorf("listed (-want +got):\n%s", diff)
		}
		must.Get(s.Stat(t.Context(), "beside"))(t)
		if _, markers, err := s.Versions(t.Context()); markers != 0 || err != nil {
			t.Errorf("%d are hidden, %v", markers, err)
		}
	})
}

// If a bucket keeps versions, what is deleted is no longer listed, but stays as a version.
func TestVersioned(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, server *s3server.Server) {
		o := optionsOn(t, server)
		s := open(t, o)
		if is, err := s.Versioned(t.Context()); is || err != nil {
			t.Errorf("at first: %v, %v", is, err)
		}
		server.Versioned(t, o.Bucket)
		if is, err := s.Versioned(t.Context()); !is || err != nil {
			t.Errorf("then: %v, %v", is, err)
		}
		must.Get(s.Put(t.Context(), key, strings.NewReader("x")))(t)
		for range 2 {
			must.OK(t, s.Delete(t.Context(), key))
		}
		absent(t, s)
		keys, markers, err := s.Versions(t.Context())
		if diff := cmp.Diff([]string{key}, keys); diff != "" || markers != 1 || err != nil {
			t.Errorf("versions, and %d markers, %v (-want +got):\n%s", markers, err, diff)
		}
	})
}

// Without permission to see whether a version is locked, none is hidden.
func TestLockUnseen(t *testing.T) {
	t.Parallel()
	_, free := locking(t, s3server.Shared(t))
	must.Get(free.Put(t.Context(), key, strings.NewReader("x")))(t)
	for query, right := range map[string]string{"retention": "s3:GetObjectRetention", "legal-hold": "s3:GetObjectLegalHold"} {
		free.Between(func(to http.RoundTripper) http.RoundTripper {
			return tripper(func(r *http.Request) (*http.Response, error) {
				if r.URL.Query().Has(query) {
					text := `<Error><Code>AccessDenied</Code><Message>of a test</Message></Error>`
					return &http.Response{StatusCode: http.StatusForbidden, Request: r, Body: io.NopCloser(strings.NewReader(text))}, nil
				}
				return to.RoundTrip(r)
			})
		})
		err := free.Delete(t.Context(), key)
		if f := says(t, err, "s3_denied", objstore.ErrUnavailable); f != nil && f.Params["action"] != right {
			t.Errorf("%s: it names %v", right, f.Params)
		}
	}
	must.Get(free.Stat(t.Context(), key))(t)
}

type tripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A bucket without Object Lock is detected by a probe, and keeps nothing of an
// object that should have been locked.
func TestNoLock(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, server *s3server.Server) {
		o, _ := locking(t, server)
		must.Get(objstore.Probe(t.Context(), open(t, o)))(t)

		plain := optionsOn(t, server)
		plain.Lock = o.Lock
		s := open(t, plain)
		_, err := objstore.Probe(t.Context(), s)
		says(t, err, "s3_lock", objstore.ErrUnavailable)
		for _, size := range []int{10, large} {
			_, err = s.Put(t.Context(), key, strings.NewReader(strings.Repeat("x", size)))
			says(t, err, "s3_lock", objstore.ErrUnavailable)
			absent(t, s)
		}
	})
}

// An object stored without its lock, which cannot be deleted, is reported.
func TestNoLockLeft(t *testing.T) {
	t.Parallel()
	o := options(t)
	p := s3server.Shared(t).Proxy(t)
	o.Endpoint, o.Lock = p.Address, s3.Lock{Mode: "GOVERNANCE", Days: 1}
	s := open(t, o)
	p.Fault(func(r *http.Request) s3server.Fault {
		if r.Method == http.MethodDelete && !r.URL.Query().Has("uploadId") {
			return s3server.Fault{Status: http.StatusForbidden, Code: "AccessDenied"}
		}
		return s3server.Fault{}
	})
	for n, size := range []int{10, large} {
		name := objstore.Name{Type: "full", At: time.Unix(int64(n), 0)}.Key("")
		_, err := s.Put(t.Context(), name, strings.NewReader(strings.Repeat("x", size)))
		says(t, err, "s3_lock", objstore.ErrUnavailable)
		if _, there := s.Stat(t.Context(), name); there == nil != errors.Is(err, objstore.ErrLeft) {
			t.Errorf("%d bytes: %v, and is there: %v", size, err, there)
		}
	}
	if left := listing(t, s); len(left) == 0 {
		t.Error("versitygw locks first by now: this test shows nothing")
	}
}

// A store without a KMS encrypts nothing, and says so before a backup is made.
func TestNoKMS(t *testing.T) {
	t.Parallel()
	o := options(t)
	p := s3server.Shared(t).Proxy(t)
	o.Endpoint, o.Encryption.Algorithm = p.Address, "AES256"
	p.Fault(func(r *http.Request) s3server.Fault { // like MinIO
		if r.Header.Get("X-Amz-Server-Side-Encryption") != "" {
			return s3server.Fault{Status: http.StatusNotImplemented, Code: "NotImplemented"}
		}
		return s3server.Fault{}
	})
	encryptsNothing(t, o)
}

func encryptsNothing(t *testing.T, o s3.Options) {
	t.Helper()
	s := open(t, o)
	_, err := objstore.Probe(t.Context(), s)
	says(t, err, "s3_no_encryption", objstore.ErrUnavailable)
	_, err = s.Put(t.Context(), key, strings.NewReader(strings.Repeat("x", large)))
	says(t, err, "s3_no_encryption", objstore.ErrUnavailable)
	absent(t, s)
}

// With TLS, the CAs of a file are trusted. Using http with such a store is reported at once.
func TestTLS(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, server *s3server.Server) {
		o := optionsOn(t, server)
		o.Endpoint, o.Roots = server.TLS, x509.NewCertPool()
		o.Roots.AppendCertsFromPEM(server.Authority)
		_, err := open(t, o).Stat(t.Context(), key)
		if !errors.Is(err, objstore.ErrNotFound) && fault.CodeOf(err) != fault.StorageUnavailable {
			t.Error(err)
		}
		if f, ok := fault.As(err); ok && strings.HasPrefix(f.Reason, "s3_certificate") {
			t.Error(err)
		}
		o.Roots, o.Attempts, o.Pause = nil, 0, 0 // the defaults
		began := time.Now()
		_, err = open(t, o).Put(t.Context(), key, strings.NewReader("x"))
		says(t, err, "s3_certificate", objstore.ErrUnavailable)
		o.Endpoint = strings.Replace(server.TLS, "https", "http", 1)
		_, err = open(t, o).Put(t.Context(), key, strings.NewReader("x"))
		says(t, err, "s3_tls", objstore.ErrUnavailable)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}
