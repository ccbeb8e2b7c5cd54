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

// code is S3's name of an error; empty where S3 has named none.
func code(err error) string {
	if e, ok := errors.AsType[smithy.APIError](err); ok {
		return e.ErrorCode()
	}
	return ""
}

// response is the answer that an error came with, or nil.
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

// fault says what is wrong, and what to do. action is the right that was needed, as
// policies name it.
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

// away is what most faults here are.
func away(f *fault.Error, err error) error {
	return f.With(errors.Join(objstore.ErrUnavailable, err))
}

// refusal is about who we are.
func (s *Store) refusal(action string, err error) error {
	switch c := code(err); {
	case c == "RequestTimeTooSkewed":
		return s.skewed(err)
	case c == "InvalidAccessKeyId", c == "XAdminUserNotFound":
		return away(fault.New(fault.StorageUnavailable, "s3_access_key", "The S3 store does not know the Access Key ID, or it is disabled. "+
			"Correct Access Key ID in the backup settings, or see that S3 Endpoint is the right one."), err)
	case c == "SignatureDoesNotMatch":
		return away(fault.New(fault.StorageUnavailable, "s3_secret_key", "The S3 store says that the Secret Access Key is not the one of this "+
			"Access Key ID. Enter Secret Access Key again in the backup settings. If it is right, a proxy before the store changes "+
			"requests: it must leave path, query and Host as they are."), err)
	case c == "ExpiredToken", c == "InvalidToken", c == "TokenRefreshRequired":
		return away(fault.New(fault.StorageUnavailable, "s3_temporary_key", "The S3 store says that this Access Key ID is a temporary one and "+
			"has ended. Give a lasting Access Key ID and Secret Access Key in the backup settings."), err)
	case strings.HasPrefix(c, "KMS."):
		return away(fault.New(fault.StorageUnavailable, "s3_kms", "The S3 store cannot use the KMS key that objects are encrypted with. See "+
			"that the key is enabled and that the Access Key ID may do kms:GenerateDataKey and kms:Decrypt with it."), err)
	case c == "ObjectLocked", c == "AccessDenied" && action == "s3:DeleteObject" && says(err, "lock", "worm", "retention"):
		return fault.New(fault.Conflict, "backup_object_locked", "The S3 store keeps this object by Object Lock until its time is over. Delete "+
			"it then.").With(errors.Join(objstore.ErrLocked, err))
	case c == "AccessDenied", c == "AllAccessDisabled", c == "AccountProblem", status(err) == http.StatusForbidden,
		status(err) == http.StatusUnauthorized:
		return away(fault.Newf(fault.StorageUnavailable, "s3_denied", "The S3 store does not allow this Access Key ID what backups need: "+
			"{action}. Add that to its policy, for the bucket and for all below the prefix.", fault.Params{"action": s.needs(action)}), err)
	}
	return nil
}

func (s *Store) needs(action string) string {
	if action == "s3:PutObject" && s.o.Lock.Mode != "" {
		return "s3:PutObject, s3:PutObjectRetention"
	}
	return action
}

// skewed tells by how much the clocks differ; the answer has the store's time.
func (s *Store) skewed(err error) error {
	r := response(err)
	if r == nil {
		return nil
	}
	theirs, bad := http.ParseTime(r.Header.Get("Date"))
	off := s.o.Now().Sub(theirs)
	if bad != nil {
		return away(fault.New(fault.StorageUnavailable, "s3_clock", "This server's clock and the S3 store's differ by more than 15 minutes. Set "+
			"both clocks, best by NTP."), err)
	}
	if off < 0 {
		return away(fault.Newf(fault.StorageUnavailable, "s3_clock_slow", "This server's clock is {difference} behind the S3 store's, which "+
			"takes no request that is off by more than 15 minutes. Set this server's clock, best by NTP.",
			fault.Params{"difference": seconds(-off)}), err)
	}
	return away(fault.Newf(fault.StorageUnavailable, "s3_clock_fast", "This server's clock is {difference} ahead of the S3 store's, which "+
		"takes no request that is off by more than 15 minutes. Set this server's clock, best by NTP.",
		fault.Params{"difference": seconds(off)}), err)
}

// place is about where it is.
func (s *Store) place(_ string, err error) error {
	switch c := code(err); {
	case c == "NoSuchBucket", c == "InvalidBucketName":
		return away(fault.New(fault.StorageUnavailable, "s3_no_bucket", "The S3 store has no bucket of that name. Correct Bucket in the backup "+
			"settings, or make the bucket; with stores other than AWS, turn on Use Path-Style."), err)
	case c == "AuthorizationHeaderMalformed", c == "PermanentRedirect", c == "IllegalLocationConstraintException", c == "IncorrectEndpoint",
		status(err) >= 300 && status(err) < 400:
		if region := regionOf(err); region != "" {
			return away(fault.Newf(fault.StorageUnavailable, "s3_region", "The bucket is in another region. Set Region to {region} in the backup "+
				"settings.", fault.Params{"region": region}), err)
		}
		return away(fault.New(fault.StorageUnavailable, "s3_region_unknown", "The bucket is in another region, or at another address. Set "+
			"Region, and S3 Endpoint if there is one, to the bucket's."), err)
	case c == "NoSuchKey", c == "NotFound" && status(err) == http.StatusNotFound:
		return objstore.NotFound(err)
	}
	return nil
}

// room is about what the store can take at the moment.
func (s *Store) room(_ string, err error) error {
	switch c := code(err); {
	case c == "XMinioStorageFull", c == "QuotaExceeded", c == "XMinioAdminBucketQuotaExceeded", c == "EntityTooLarge",
		status(err) == http.StatusInsufficientStorage:
		return fault.New(fault.StorageUnavailable, "s3_full", "The S3 store has no room for this backup, or a quota is used up. Make room "+
			"there, raise the quota, or delete old backups.").With(errors.Join(objstore.ErrFull, err))
	case c == "SlowDown", c == "RequestLimitExceeded", strings.HasPrefix(c, "Throttl"), status(err) == http.StatusTooManyRequests:
		return away(fault.New(fault.StorageUnavailable, "s3_throttled", "The S3 store takes no more requests at the moment (it said to slow "+
			"down, several times). Try again later; if it goes on, raise the store's limit on requests."), err)
	case c == "PreconditionFailed":
		return away(fault.New(fault.StorageUnavailable, "s3_changed", "The object was replaced in the S3 store while it was read. Look for what "+
			"else writes there, and try again."), err)
	case c == "InvalidRequest" && says(err, "lock"):
		return away(fault.New(fault.StorageUnavailable, "s3_lock", "Object Lock is in the backup settings, and the bucket was not made for "+
			"it, or the other way round. Make a bucket with Object Lock, or turn the setting off."), err)
	}
	return nil
}

// says tells whether a store's own text speaks of something: where it has no name for
// an error of its own.
func says(err error, words ...string) bool {
	e, ok := errors.AsType[smithy.APIError](err)
	for _, word := range words {
		if ok && strings.Contains(strings.ToLower(e.ErrorMessage()), word) {
			return true
		}
	}
	return false
}
