package s3

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
)

// code returns S3's error code; empty if there is none.
func code(err error) string {
	if e, ok := errors.AsType[smithy.APIError](err); ok {
		return e.ErrorCode()
	}
	return ""
}

// response returns the response of an error, or nil.
func response(err error) *smithyhttp.Response {
	if e, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && e.Response != nil && e.Response.Response != nil {
		return e.Response
	}
	return nil
}

func status(err error) int {
	if r := response(err); r != nil {
		return r.StatusCode
	}
	return 0
}

// fault says what is wrong, and what to do. action is the permission needed, as in policies.
func (s *Store) fault(ctx context.Context, action string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := fault.As(err); ok {
		return err
	}
	if objstore.TimedOut(ctx) {
		return objstore.Slow(err)
	}
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), err)
	}
	if s.speaksTLS(ctx, err) {
		return away(fault.New(fault.StorageUnavailable, "s3_tls", "The S3 store uses TLS. Enter https:// instead "+
			"of http:// as its endpoint, or another port."), err)
	}
	for _, say := range []func(string, error) error{s.room, s.place, s.refusal} {
		if f := say(action, err); f != nil {
			return f
		}
	}
	if status(err) == 0 {
		return network(err)
	}
	return other(err)
}

// away makes a fault whose cause is ErrUnavailable.
func away(f *fault.Error, err error) error {
	return f.With(errors.Join(objstore.ErrUnavailable, err))
}

// refusal explains errors about credentials and permissions.
func (s *Store) refusal(action string, err error) error {
	switch c := code(err); {
	case c == "RequestTimeTooSkewed":
		return s.skewed(err)
	case c == "InvalidAccessKeyId", c == "XAdminUserNotFound":
		return away(fault.New(fault.StorageUnavailable, "s3_access_key", "The S3 store doesn't know the access "+
			"key ID, or it is disabled. Correct it in the backup settings, or check the endpoint."), err)
	case c == "SignatureDoesNotMatch":
		return away(fault.New(fault.StorageUnavailable, "s3_secret_key", "The secret access key doesn't match "+
			"this access key ID. Enter it again in the backup settings. If it is right, a proxy in front of the "+
			"store changes requests: it must keep the path, query and Host."), err)
	case c == "ExpiredToken", c == "InvalidToken", c == "TokenRefreshRequired":
		return away(fault.New(fault.StorageUnavailable, "s3_temporary_key", "This access key ID was temporary "+
			"and has expired. Enter a permanent access key ID and secret access key in the backup settings."), err)
	case strings.HasPrefix(c, "KMS."):
		return away(fault.New(fault.StorageUnavailable, "s3_kms", "The S3 store can't use the KMS key that "+
			"encrypts files. Check that the key is enabled and that the access key ID is allowed "+
			"kms:GenerateDataKey and kms:Decrypt with it."), err)
	case s.o.Encryption.Algorithm != "" && action == "s3:PutObject" && status(err) == http.StatusNotImplemented:
		return away(fault.Newf(fault.StorageUnavailable, "s3_no_encryption", "The S3 store can't encrypt files with "+
			"{algorithm} (501): it has no KMS. Turn off encryption by the store in the backup settings, or set up "+
			"the store's KMS. Keyward encrypts backups in any case.", fault.Params{"algorithm": s.o.Encryption.Algorithm}), err)
	case c == "ObjectLocked", action == "s3:DeleteObject" && says(err, "object lock", "worm", "retention", "protected"):
		return fault.New(fault.Conflict, "backup_object_locked", "Object Lock still protects this object in the "+
			"S3 store. Delete it when the lock ends.").With(errors.Join(objstore.ErrLocked, err))
	case c == "AccessDenied", c == "AllAccessDisabled", c == "AccountProblem", status(err) == http.StatusForbidden,
		status(err) == http.StatusUnauthorized:
		return away(fault.Newf(fault.StorageUnavailable, "s3_denied", "The S3 store doesn't allow this access "+
			"key ID what backups need: {action}. Add that to its policy, for the bucket and everything under the "+
			"prefix.", fault.Params{"action": s.needs(action)}), err)
	}
	return nil
}

func (s *Store) needs(action string) string {
	if action == "s3:PutObject" && s.o.Lock.Mode != "" {
		return "s3:PutObject, s3:PutObjectRetention"
	}
	return action
}

// skewed says by how much the clocks differ; the response has the store's time.
func (s *Store) skewed(err error) error {
	r := response(err)
	if r == nil {
		return nil
	}
	theirs, bad := http.ParseTime(r.Header.Get("Date"))
	off := s.o.Now().Sub(theirs)
	if bad != nil {
		return away(fault.New(fault.StorageUnavailable, "s3_clock", "This server's clock and the S3 store's "+
			"differ by more than 15 minutes. Set both, preferably with NTP."), err)
	}
	if off < 0 {
		return away(fault.Newf(fault.StorageUnavailable, "s3_clock_slow", "This server's clock is {difference} "+
			"behind the S3 store's, which rejects requests that are off by more than 15 minutes. Set this "+
			"server's clock, preferably with NTP.",
			fault.Params{"difference": seconds(-off)}), err)
	}
	return away(fault.Newf(fault.StorageUnavailable, "s3_clock_fast", "This server's clock is {difference} ahead "+
		"of the S3 store's, which rejects requests that are off by more than 15 minutes. Set this server's "+
		"clock, preferably with NTP.",
		fault.Params{"difference": seconds(off)}), err)
}

// place explains errors about the bucket's location.
func (s *Store) place(_ string, err error) error {
	switch c := code(err); {
	case c == "NoSuchBucket", c == "InvalidBucketName":
		return away(fault.New(fault.StorageUnavailable, "s3_no_bucket", "The S3 store has no bucket with that "+
			"name. Correct the bucket in the backup settings, or create it. For stores other than Amazon S3, "+
			"turn on path-style addresses."), err)
	case c == "AuthorizationHeaderMalformed", c == "PermanentRedirect", c == "IllegalLocationConstraintException", c == "IncorrectEndpoint",
		status(err) >= 300 && status(err) < 400:
		if region := regionOf(err); region != "" {
			return away(fault.Newf(fault.StorageUnavailable, "s3_region", "The bucket is in another region. Set "+
				"the region to {region} in the backup settings.", fault.Params{"region": region}), err)
		}
		return away(fault.New(fault.StorageUnavailable, "s3_region_unknown", "The bucket is in another region or "+
			"at another address. Set the region and the endpoint to the bucket's."), err)
	case c == "NoSuchKey", c == "NotFound" && status(err) == http.StatusNotFound:
		return objstore.NotFound(err)
	}
	return nil
}

// room explains errors about what the store can currently accept.
func (s *Store) room(_ string, err error) error {
	switch c := code(err); {
	case c == "XMinioStorageFull", c == "QuotaExceeded", c == "XMinioAdminBucketQuotaExceeded", c == "EntityTooLarge",
		status(err) == http.StatusInsufficientStorage:
		return fault.New(fault.StorageUnavailable, "s3_full", "The S3 store is full, or a quota is used up. Free "+
			"some space, raise the quota, or delete old backups.").With(errors.Join(objstore.ErrFull, err))
	case c == "SlowDown", c == "RequestLimitExceeded", strings.HasPrefix(c, "Throttl"), status(err) == http.StatusTooManyRequests:
		return away(fault.New(fault.StorageUnavailable, "s3_throttled", "The S3 store is limiting requests. Try "+
			"again later. If it continues, raise the store's request limit."), err)
	case c == "PreconditionFailed":
		return away(fault.New(fault.StorageUnavailable, "s3_changed", "The file was replaced in the S3 store "+
			"while it was being read. Find out what else writes there, and try again."), err)
	case c == "InvalidRequest" && says(err, "lock"):
		return away(fault.New(fault.StorageUnavailable, "s3_lock", "Object Lock is turned on in the backup "+
			"settings but not enabled for the bucket, or the other way round. Create a bucket with Object Lock, "+
			"or turn the setting off."), err)
	}
	return nil
}

// says reports whether a store's own message contains any of the words, for errors
// without a distinctive code.
func says(err error, words ...string) bool {
	e, ok := errors.AsType[smithy.APIError](err)
	for _, word := range words {
		if ok && strings.Contains(strings.ToLower(e.ErrorMessage()), word) {
			return true
		}
	}
	return false
}
