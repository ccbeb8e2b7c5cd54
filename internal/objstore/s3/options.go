package s3

import (
	"cmp"
	"crypto/x509"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/loopback"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/secret"
)

// Options say where the bucket is, and how Keyward accesses it.
type Options struct {
	Endpoint    string // https://HOST[:PORT]; empty: AWS itself, in the region
	Region      string // empty, with an endpoint: us-east-1
	Bucket      string
	Prefix      string // of all keys
	AccessKeyID string
	SecretKey   secret.String
	PathStyle   bool           // the bucket is in the path, not in the host name
	InsecureTLS bool           // certificates are not verified
	Roots       *x509.CertPool // trusted CAs; nil: the system's

	Lock       Lock       // of each object; zero: none
	Encryption Encryption // by the store

	Attempts int           // per request; zero: 5
	Pause    time.Duration // the longest between two attempts; zero: 5 s
	Now      func() time.Time
	Logger   *slog.Logger
}

// Lock is Object Lock: no one can delete an object before its time. The bucket must
// have been created for it.
type Lock struct {
	Mode string // GOVERNANCE or COMPLIANCE; empty: none
	Days int
}

// Encryption is the store's encryption, in addition to ours.
type Encryption struct {
	Algorithm string // AES256 or aws:kms; empty: the bucket's default
	KMSKeyID  string // with aws:kms; empty: AWS's own key
}

// check sets the defaults, and returns all wrong settings by their API names.
func (o *Options) check() error {
	var wrong []fault.Field
	if o.Endpoint != "" {
		u, err := url.Parse(o.Endpoint)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" ||
			u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
			wrong = append(wrong, fault.Wrong("s3_endpoint", "bad_s3_endpoint", "must be https:// or http:// and "+
				"a host, with or without a port, and nothing after it: the bucket has its own setting"))
		} else if loopback.LinkLocal(u.Hostname()) {
			wrong = append(wrong, fault.Wrong("s3_endpoint", "link_local", "must not be a link-local address (169.254.0.0/16, fe80::/10)"))
		}
		o.Endpoint = strings.TrimRight(o.Endpoint, "/")
		o.Region = cmp.Or(o.Region, "us-east-1")
	}
	for _, c := range [][2]string{
		{"region", o.Region}, {"bucket", o.Bucket}, {"access_key_id", o.AccessKeyID}, {"secret_access_key", o.SecretKey.Reveal()},
	} {
		switch {
		case c[1] == "":
			wrong = append(wrong, fault.Required(c[0]))
		case strings.ContainsFunc(c[1], unprintable):
			wrong = append(wrong, fault.Wrong(c[0], "bad_s3_text", "must be ASCII letters, digits and symbols, without spaces"))
		}
	}
	if strings.ContainsAny(o.Bucket, "/:?#") {
		wrong = append(wrong, fault.Wrong("bucket", "bad_bucket", "must be only the bucket's name, without a path or an address"))
	}
	wrong = append(wrong, objstore.CheckPrefix("prefix", o.Prefix)...)
	if m := o.Lock.Mode; m != "" && m != "GOVERNANCE" && m != "COMPLIANCE" {
		wrong = append(wrong, fault.NotOneOf("object_lock_mode", "GOVERNANCE", "COMPLIANCE"))
	} else if m != "" && (o.Lock.Days < 1 || o.Lock.Days > maxDays) {
		wrong = append(wrong, fault.OutOfRange("object_lock_days", 1, maxDays))
	}
	if a := o.Encryption.Algorithm; a != "" && a != "AES256" && a != "aws:kms" {
		wrong = append(wrong, fault.NotOneOf("encryption", "AES256", "aws:kms"))
	}
	if len(wrong) > 0 {
		return fault.Invalid(wrong...).With(objstore.ErrInvalid)
	}
	o.Attempts = cmp.Or(o.Attempts, 5)
	o.Pause = cmp.Or(o.Pause, 5*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return nil
}

const maxDays = 36500 // a hundred years, S3's limit

func unprintable(r rune) bool { return r <= ' ' || r > '~' }
