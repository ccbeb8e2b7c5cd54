package s3

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"regexp"
	"syscall"
	"time"

	"github.com/aws/smithy-go"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
)

// network is about the way to the store: nothing came back, or not all of it.
func network(err error) error {
	if f := certificate(err); f != nil {
		return f
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return away(fault.New(fault.StorageUnavailable, "s3_host", "The S3 store's host name cannot be found. Correct S3 Endpoint, or Region "+
			"and Bucket, in the backup settings; if they are right, look at this server's DNS. With stores other than AWS, turn on Use "+
			"Path-Style."), err)
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return away(fault.New(fault.StorageUnavailable, "s3_refused", "Nothing takes connections at the S3 store's address. See that the store "+
			"runs, and correct the port in S3 Endpoint."), err)
	}
	if errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH) {
		return away(fault.New(fault.StorageUnavailable, "s3_unreachable", "No network leads from this server to the S3 store. Look at routes "+
			"and firewalls between them."), err)
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return away(fault.New(fault.StorageUnavailable, "s3_silent", "The S3 store does not answer in time. See that it runs, that S3 "+
			"Endpoint is right, and that firewalls let this server through."), err)
	}
	if _, ok := errors.AsType[*smithy.DeserializationError](err); ok {
		return foreign(err)
	}
	return away(fault.New(fault.StorageUnavailable, "s3_cut", "The connection to the S3 store broke off, several times. Look at the "+
		"network, and at proxies between with a limit on time or size, then try again."), err)
}

// certificate is about TLS.
func certificate(err error) error {
	if errors.Is(err, http.ErrSchemeMismatch) || is[tls.RecordHeaderError](err) {
		return away(fault.New(fault.StorageUnavailable, "s3_no_tls", "What answers at S3 Endpoint does not speak TLS. Write http:// in place of "+
			"https://, or another port, in S3 Endpoint."), err)
	}
	if is[x509.HostnameError](err) {
		return away(fault.New(fault.StorageUnavailable, "s3_certificate_name", "The S3 store's certificate is for another host name. Use the "+
			"name of the certificate in S3 Endpoint; with a bucket in the host's name, turn on Use Path-Style."), err)
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok && e.Reason == x509.Expired {
		return away(fault.New(fault.StorageUnavailable, "s3_certificate_ended", "The S3 store's certificate has ended or is not valid yet. "+
			"Renew it, or set this server's clock if it is wrong."), err)
	}
	if is[x509.UnknownAuthorityError](err) || is[*tls.CertificateVerificationError](err) {
		return away(fault.New(fault.StorageUnavailable, "s3_certificate", "The S3 store's certificate is from a CA that this server does not "+
			"trust. Add that CA to the system's certificates, or turn on Insecure TLS if nobody else is on the network between."), err)
	}
	return nil
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// other is an answer that none of the rules knows.
func other(err error) error {
	c := code(err)
	switch st := status(err); {
	case c == "" || !plain.MatchString(c):
		return foreign(err)
	case st >= http.StatusInternalServerError:
		return away(fault.Newf(fault.StorageUnavailable, "s3_down", "The S3 store has trouble of its own at the moment ({status} {code}). Try "+
			"again later; its own log has more.", fault.Params{"status": st, "code": c}), err)
	default:
		return away(fault.Newf(fault.StorageUnavailable, "s3_other", "The S3 store refuses the request ({status} {code}). The server's log has "+
			"what it says; compare the backup settings with the store's.", fault.Params{"status": st, "code": c}), err)
	}
}

// plain is what we repeat of a store's answers.
var plain = regexp.MustCompile(`^[A-Za-z0-9.:]{1,64}$`)

func foreign(err error) error {
	return away(fault.New(fault.StorageUnavailable, "s3_foreign", "What answers at S3 Endpoint is no S3 store, or a proxy before it "+
		"answers in its place. See that scheme (https:// or http://), host and port are those of its API, not of its console."), err)
}

// unsure is the fault of an upload whose last answer was lost, perhaps with a part of the
// object, when the store does not say what became of it either.
func unsure(err error) error {
	return fault.New(fault.StorageUnavailable, "s3_unsure", "The connection to the S3 store broke off before it said that the object is "+
		"there, and it does not answer now. Load the list of backups when it does: the object may be "+
		"there.").With(errors.Join(objstore.ErrUnsure, err))
}

// differs is the fault of an upload that the store has taken, and that is not there.
func differs(err error) error {
	return away(fault.New(fault.StorageUnavailable, "s3_differs", "The S3 store took the object, but does not have it as it was sent. See "+
		"that S3 Endpoint is the store's API, and look at the store."), err)
}

// regionOf is the bucket's region, where an answer names it.
func regionOf(err error) string {
	r := response(err)
	if r == nil {
		return ""
	}
	if region := r.Header.Get("X-Amz-Bucket-Region"); plainRegion.MatchString(region) {
		return region
	}
	if e, ok := errors.AsType[smithy.APIError](err); ok { // the region 'a' is wrong; expecting 'b'
		if parts := expected.FindStringSubmatch(e.ErrorMessage()); parts != nil {
			return parts[1]
		}
	}
	return ""
}

var (
	plainRegion = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)
	expected    = regexp.MustCompile(`expecting ['"]([a-z0-9-]{1,32})['"]`)
)

func seconds(d time.Duration) string { return d.Round(time.Second).String() }
