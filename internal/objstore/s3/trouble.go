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

// network explains connection errors: no response, or an incomplete one.
func network(err error) error {
	if f := certificate(err); f != nil {
		return f
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return away(fault.New(fault.StorageUnavailable, "s3_host", "The S3 store's host name can't be resolved. "+
			"Correct the endpoint, or the region and bucket, in the backup settings, or check this server's DNS. "+
			"For stores other than Amazon S3, turn on path-style addresses."), err)
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return away(fault.New(fault.StorageUnavailable, "s3_refused", "Nothing responds at the S3 store's "+
			"address. Check that the store is running and that the endpoint's port is right."), err)
	}
	if errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH) {
		return away(fault.New(fault.StorageUnavailable, "s3_unreachable", "This server can't reach the S3 store. "+
			"Check routes and firewalls between them."), err)
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return away(fault.New(fault.StorageUnavailable, "s3_silent", "The S3 store did not respond in time. "+
			"Check that it is running, that the endpoint is right, and that no firewall blocks this server."), err)
	}
	if _, ok := errors.AsType[*smithy.DeserializationError](err); ok {
		return foreign(err)
	}
	return away(fault.New(fault.StorageUnavailable, "s3_cut", "The connection to the S3 store was lost several "+
		"times. Check the network, and any proxy that limits time or size, then try again."), err)
}

// certificate explains TLS errors.
func certificate(err error) error {
	if errors.Is(err, http.ErrSchemeMismatch) || is[tls.RecordHeaderError](err) {
		return away(fault.New(fault.StorageUnavailable, "s3_no_tls", "The endpoint doesn't use TLS. Enter "+
			"http:// instead of https://, or another port."), err)
	}
	if is[x509.HostnameError](err) {
		return away(fault.New(fault.StorageUnavailable, "s3_certificate_name", "The S3 store's certificate is "+
			"for another host name. Use the certificate's name as the endpoint. If the bucket is part of the "+
			"host name, turn on path-style addresses."), err)
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok && e.Reason == x509.Expired {
		return away(fault.New(fault.StorageUnavailable, "s3_certificate_ended", "The S3 store's certificate has "+
			"expired or is not valid yet. Renew it, or correct this server's clock."), err)
	}
	if is[x509.UnknownAuthorityError](err) || is[*tls.CertificateVerificationError](err) {
		return away(fault.New(fault.StorageUnavailable, "s3_certificate", "The S3 store's certificate is from a "+
			"CA that this server does not "+
			"trust. Name a file with that CA in S3_CA_FILE."), err)
	}
	return nil
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// other is for responses that no rule matches.
func other(err error) error {
	c := code(err)
	switch st := status(err); {
	case c == "" || !plain.MatchString(c):
		return foreign(err)
	case st >= http.StatusInternalServerError:
		return away(fault.Newf(fault.StorageUnavailable, "s3_down", "The S3 store has a problem of its own "+
			"({status} {code}). Try again later, or check its log.", fault.Params{"status": st, "code": c}), err)
	default:
		return away(fault.Newf(fault.StorageUnavailable, "s3_other", "The S3 store rejected the request "+
			"({status} {code}). The server's log has its reply. Compare the backup settings with the "+
			"store's.", fault.Params{"status": st, "code": c}), err)
	}
}

// plain matches error codes that may be quoted.
var plain = regexp.MustCompile(`^[A-Za-z0-9.:]{1,64}$`)

func foreign(err error) error {
	return away(fault.New(fault.StorageUnavailable, "s3_foreign", "The endpoint is not an S3 store, or a proxy "+
		"responds in its place. Check that the scheme (https:// or http://), host and port are those of its API, "+
		"not of its console."), err)
}

// unsure is the fault for an upload whose last answer was lost, if the store does
// not say what happened to it either.
func unsure(err error) error {
	return fault.New(fault.StorageUnavailable, "s3_unsure", "The connection to the S3 store was lost before it "+
		"confirmed the file, and it is not responding now. Reload the list of backups later: the file may be "+
		"there.").With(errors.Join(objstore.ErrUnsure, err))
}

// differs is the fault for an accepted upload whose object is missing or different.
func differs(err error) error {
	return away(fault.New(fault.StorageUnavailable, "s3_differs", "The S3 store accepted the file but changed "+
		"it. Check the store, and that the endpoint is its API."), err)
}

// regionOf returns the bucket's region if a response names it.
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
