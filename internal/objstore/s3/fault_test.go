package s3_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/objstore/s3"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/host"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
)

// Each wrong setting is named by every operation, even those that use HEAD, whose
// response has no body.
func TestWrongSettings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(t *testing.T, o *s3.Options)
		reason string
	}{
		"secret":       {func(_ *testing.T, o *s3.Options) { o.SecretKey = secret.New("another") }, "s3_secret_key"},
		"access key":   {func(_ *testing.T, o *s3.Options) { o.AccessKeyID = "nobody" }, "s3_access_key"},
		"bucket":       {func(_ *testing.T, o *s3.Options) { o.Bucket = "no-such-bucket" }, "s3_no_bucket"},
		"region":       {func(_ *testing.T, o *s3.Options) { o.Region = "us-east-1" }, "s3_region"},
		"clock ahead":  {func(_ *testing.T, o *s3.Options) { o.Now = off(20 * time.Minute) }, "s3_clock_fast"},
		"clock behind": {func(_ *testing.T, o *s3.Options) { o.Now = off(-20 * time.Hour) }, "s3_clock_slow"},
		"certificate":  {func(t *testing.T, o *s3.Options) { o.Endpoint = s3server.Shared(t).TLS }, "s3_certificate"},
		"certificate of another": {func(t *testing.T, o *s3.Options) {
			o.Endpoint = strings.Replace(welcome(t, true), "127.0.0.1", "localhost", 1)
		}, "s3_certificate_name"},
		"certificate of before": {func(t *testing.T, o *s3.Options) { o.Endpoint = outdated(t) }, "s3_certificate_ended"},
		"no TLS": {func(t *testing.T, o *s3.Options) {
			o.Endpoint = strings.Replace(welcome(t, false), "http", "https", 1)
		}, "s3_no_tls"},
		"TLS, not http": {func(t *testing.T, o *s3.Options) {
			o.Endpoint = strings.Replace(welcome(t, true), "https", "http", 1)
		}, "s3_tls"},
		"a web page": {func(t *testing.T, o *s3.Options) { o.Endpoint = welcome(t, false) }, "s3_foreign"},
		"host":       {func(_ *testing.T, o *s3.Options) { o.Endpoint = "https://no..host" }, "s3_host"},
		"port": {func(_ *testing.T, o *s3.Options) {
			o.Endpoint = "http://" + net.JoinHostPort(host.Address(), "17079")
		}, "s3_refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t)
			o.Attempts = 2
			c.change(t, &o)
			s := open(t, o)
			_, err := s.Stat(t.Context(), key)
			f := says(t, err, c.reason, objstore.ErrUnavailable)
			_, err = s.Put(t.Context(), key, strings.NewReader("x"))
			says(t, err, c.reason, objstore.ErrUnavailable)
			_, err = s.Open(t.Context(), key, 0, -1)
			says(t, err, c.reason, objstore.ErrUnavailable)
			says(t, s.Each(t.Context(), nil), c.reason, objstore.ErrUnavailable)
			_, err = s.Link(t.Context(), key)
			says(t, err, c.reason, objstore.ErrUnavailable)
			_, err = s.Sweep(t.Context(), time.Now())
			says(t, err, c.reason, objstore.ErrUnavailable)
			_, err = objstore.Probe(t.Context(), s)
			says(t, err, c.reason, objstore.ErrUnavailable)
			if !fault.Is(err, fault.StorageUnavailable) || strings.Contains(fmt.Sprint(err), s3server.SecretKey) {
				t.Errorf("%v", err)
			}
			switch c.reason {
			case "s3_region":
				if f.Params["region"] != s3server.Region {
					t.Errorf("it names the region %v", f.Params["region"])
				}
			case "s3_clock_fast", "s3_clock_slow":
				near(t, f, o.Now)
			}
		})
	}
}

func off(by time.Duration) func() time.Time { return func() time.Time { return time.Now().Add(by) } }

// near: the sentence has the clock difference, up to a second of the store's clock
// and the time of the test.
func near(t *testing.T, f *fault.Error, now func() time.Time) {
	t.Helper()
	said, err := time.ParseDuration(fmt.Sprint(f.Params["difference"]))
	if want := time.Until(now()).Abs(); err != nil || (said-want).Abs() > time.Minute || !strings.Contains(f.Detail, said.String()) {
		t.Errorf("%q, when it is %v", f.Detail, want)
	}
}

// welcome is a web server that is no S3 store: it answers everything with a page.
func welcome(t *testing.T, tls bool) string {
	t.Helper()
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html><body>Welcome</body></html>")
	})
	server := httptest.NewUnstartedServer(page)
	server.Config.ErrorLog = s3server.NoLog()
	if tls {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return server.URL
}

// outdated is a server with an expired certificate.
func outdated(t *testing.T) string {
	t.Helper()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = s3server.NoLog()
	server.TLS = s3server.Outdated(t)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}

// What a store may report about itself, and what to do about it.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status       int
		code, reason string
		kind         error
	}{
		{403, "AccessDenied", "s3_denied", objstore.ErrUnavailable},
		{400, "ExpiredToken", "s3_temporary_key", objstore.ErrUnavailable},
		{503, "SlowDown", "s3_throttled", objstore.ErrUnavailable},
		{507, "XMinioStorageFull", "s3_full", objstore.ErrFull},
		{301, "PermanentRedirect", "s3_region_unknown", objstore.ErrUnavailable},
		{400, "KMS.DisabledException", "s3_kms", objstore.ErrUnavailable},
		{500, "InternalError", "s3_down", objstore.ErrUnavailable},
		{502, "", "s3_down", objstore.ErrUnavailable},
		{400, "MalformedXML", "s3_other", objstore.ErrUnavailable},
	} {
		t.Run(fmt.Sprint(c.status, c.code), func(t *testing.T) {
			t.Parallel()
			o := options(t)
			p := s3server.Shared(t).Proxy(t)
			o.Endpoint = p.Address
			s := open(t, o)
			bad := s3server.Fault{Status: c.status, Code: c.code}
			for _, method := range []string{http.MethodPut, http.MethodPost} { // an object, or the start of a multipart upload
				p.Fault(func(r *http.Request) s3server.Fault {
					if r.Method == method {
						return bad
					}
					return s3server.Fault{}
				})
				size := 10
				if method == http.MethodPost {
					size = large
				}
				_, err := s.Put(t.Context(), key, strings.NewReader(strings.Repeat("x", size)))
				says(t, err, c.reason, c.kind)
				absent(t, s)
			}
			p.Fault(func(*http.Request) s3server.Fault { return bad })
			_, err := s.Open(t.Context(), key, 0, -1)
			says(t, err, c.reason, c.kind)
		})
	}
}

// The missing permission is named as in policies.
func TestDenied(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Bucket = s3server.Shared(t).Locking(t)
	p := s3server.Shared(t).Proxy(t)
	o.Endpoint = p.Address
	s := open(t, o)
	must.Get(s.Put(t.Context(), "there", strings.NewReader("x")))(t)
	o.Lock = s3.Lock{Mode: "GOVERNANCE", Days: 1}
	s = open(t, o)
	denied := func(methods string) {
		p.Fault(func(r *http.Request) s3server.Fault {
			if strings.Contains(methods, r.Method) {
				return s3server.Fault{Status: http.StatusForbidden, Code: "AccessDenied"}
			}
			return s3server.Fault{}
		})
	}
	for method, c := range map[string]struct {
		try   func() error
		right string
	}{
		http.MethodPut: {func() error {
			_, err := s.Put(t.Context(), key, strings.NewReader("x"))
			return err
		}, "s3:PutObject, s3:PutObjectRetention"},
		http.MethodDelete: {func() error { return s.Delete(t.Context(), "there") }, "s3:DeleteObject"},
		http.MethodGet:    {func() error { return s.Each(t.Context(), nil) }, "s3:ListBucket"},
		http.MethodHead: {func() error {
			_, err := s.Stat(t.Context(), key)
			return err
		}, "s3:GetObject"},
		"HEAD, GET": {func() error {
			_, err := s.Put(t.Context(), key, strings.NewReader("x"))
			return err
		}, "s3:ListBucket, s3:GetObject"},
	} {
		denied(method)
		err := c.try()
		if f := says(t, err, "s3_denied", objstore.ErrUnavailable); f != nil && f.Params["action"] != c.right {
			t.Errorf("%s: it names %v, not %s", method, f.Params["action"], c.right)
		}
		if errors.Is(err, objstore.ErrNotFound) {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// A name that someone took meanwhile is in use, even if it is free again.
func TestTakenMeanwhile(t *testing.T) {
	t.Parallel()
	o := options(t)
	p := s3server.Shared(t).Proxy(t)
	o.Endpoint = p.Address
	s := open(t, o)
	p.Fault(func(r *http.Request) s3server.Fault {
		if r.Header.Get("If-None-Match") != "" {
			return s3server.Fault{Status: http.StatusPreconditionFailed, Code: "PreconditionFailed"}
		}
		return s3server.Fault{}
	})
	for _, size := range []int{10, large} {
		_, err := s.Put(t.Context(), key, strings.NewReader(strings.Repeat("x", size)))
		says(t, err, "backup_object_exists", objstore.ErrExists)
		absent(t, s)
	}
}
