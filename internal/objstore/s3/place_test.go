package s3_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/objstore/s3"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
)

// The bucket's address: AWS by region, other stores by endpoint.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		endpoint, region string
		pathStyle        bool
		host, path       string
		signedFor        string
	}{
		{"", "eu-central-1", false, "keep.s3.eu-central-1.amazonaws.com", "/p/x", "eu-central-1"},
		{"", "eu-central-1", true, "s3.eu-central-1.amazonaws.com", "/keep/p/x", "eu-central-1"},
		{"", "us-east-1", false, "keep.s3.us-east-1.amazonaws.com", "/p/x", "us-east-1"},
		{"", "cn-north-1", false, "keep.s3.cn-north-1.amazonaws.com.cn", "/p/x", "cn-north-1"},
		{"https://minio.example.org:9000", "", true, "minio.example.org:9000", "/keep/p/x", "us-east-1"},
		{"https://minio.example.org:9000/", "site-2", true, "minio.example.org:9000", "/keep/p/x", "site-2"},
		{"https://s3.example.org", "garage", false, "keep.s3.example.org", "/p/x", "garage"},
	} {
		s := open(t, s3.Options{
			Endpoint: c.endpoint, Region: c.region, Bucket: "keep", Prefix: "p/", PathStyle: c.pathStyle,
			AccessKeyID: "id", SecretKey: secret.New("secret"),
		})
		link := must.Get(s.Sign(t.Context(), "p/x"))(t)
		u := must.Get(url.Parse(link.URL))(t)
		scope := strings.Split(u.Query().Get("X-Amz-Credential"), "/")
		if u.Scheme != "https" || u.Host != c.host || u.Path != c.path || len(scope) != 5 || scope[2] != c.signedFor {
			t.Errorf("%+v: %s", c, link.URL)
		}
		if u.Query().Get("X-Amz-Expires") != "3600" || time.Until(link.ExpiresAt) > time.Hour || time.Until(link.ExpiresAt) < 50*time.Minute {
			t.Errorf("it lasts until %v: %s", link.ExpiresAt, link.URL)
		}
	}
}

// All wrong settings are reported at once, by their API names.
func TestSettings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		o     s3.Options
		wrong []string
	}{
		"none":       {s3.Options{}, []string{"region required", "bucket required", "access_key_id required", "secret_access_key required"}},
		"a path":     {with(func(o *s3.Options) { o.Endpoint = "https://h/bucket" }), []string{"s3_endpoint bad_s3_endpoint"}},
		"no scheme":  {with(func(o *s3.Options) { o.Endpoint = "minio:9000" }), []string{"s3_endpoint bad_s3_endpoint"}},
		"a password": {with(func(o *s3.Options) { o.Endpoint = "https://a:b@h" }), []string{"s3_endpoint bad_s3_endpoint"}},
		"bucket":     {with(func(o *s3.Options) { o.Bucket = "a/b" }), []string{"bucket bad_bucket"}},
		"spaces":     {with(func(o *s3.Options) { o.SecretKey = secret.New("secret ") }), []string{"secret_access_key bad_s3_text"}},
		"prefix":     {with(func(o *s3.Options) { o.Prefix = "/p" }), []string{"prefix bad_prefix"}},
		"lock":       {with(func(o *s3.Options) { o.Lock.Mode = "GOVERNANCE" }), []string{"object_lock_days out_of_range"}},
		"lock mode":  {with(func(o *s3.Options) { o.Lock = s3.Lock{Mode: "X", Days: 1} }), []string{"object_lock_mode not_one_of"}},
		"encryption": {with(func(o *s3.Options) { o.Encryption.Algorithm = "rot13" }), []string{"encryption not_one_of"}},
		"fine":       {with(func(o *s3.Options) { o.Lock = s3.Lock{Mode: "COMPLIANCE", Days: 30} }), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := s3.New(c.o)
			var wrong []string
			if f, ok := fault.As(err); ok {
				for _, field := range f.Fields {
					wrong = append(wrong, field.Field+" "+field.Code)
				}
			}
			if diff := cmp.Diff(c.wrong, wrong); diff != "" {
				t.Errorf("wrong (-want +got):\n%s", diff)
			}
			if text := fmt.Sprintf("%+v %#v %v", c.o, c.o, err); strings.Contains(text, "secret ") {
				t.Errorf("it says the secret: %s", text)
			}
		})
	}
}

func with(change func(*s3.Options)) s3.Options {
	o := s3.Options{Region: "r", Bucket: "b", AccessKeyID: "id", SecretKey: secret.New("secret")}
	change(&o)
	return o
}

// What is requested for an object, without features that other stores than AWS lack.
func TestRequested(t *testing.T) {
	t.Parallel()
	o := options(t)
	p := s3server.Shared(t).Proxy(t)
	o.Endpoint, o.Encryption = p.Address, s3.Encryption{Algorithm: "aws:kms", KMSKeyID: "key-1"}
	s := open(t, o)
	for method, c := range map[string]struct {
		size                  int
		algorithm, key, match string
	}{
		http.MethodPut:  {10, "aws:kms", "key-1", "*"},
		http.MethodPost: {large, "aws:kms", "key-1", ""}, // the condition is in the last request
	} {
		seen := make(chan http.Header, 1)
		p.Fault(func(r *http.Request) s3server.Fault {
			if r.Method != method {
				return s3server.Fault{}
			}
			select {
			case seen <- r.Header:
			default: // a retry
			}
			return s3server.Fault{Status: http.StatusForbidden, Code: "AccessDenied"}
		})
		_, err := s.Put(t.Context(), key, strings.NewReader(strings.Repeat("x", c.size)))
		says(t, err, "s3_denied", objstore.ErrUnavailable)
		if len(seen) == 0 {
			t.Fatalf("no %s was sent: %v", method, err)
		}
		h := <-seen
		for name, want := range map[string]string{
			"X-Amz-Server-Side-Encryption": c.algorithm, "X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id": c.key, "If-None-Match": c.match,
			"X-Amz-Sdk-Checksum-Algorithm": "", "X-Amz-Checksum-Algorithm": "", "X-Amz-Trailer": "", "Content-Type": "application/octet-stream",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s %s: %q, want %q", method, name, got, want)
			}
		}
	}
}
