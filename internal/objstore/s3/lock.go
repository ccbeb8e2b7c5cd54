package s3

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
)

// Delete implements objstore.Store. In a bucket with versions, S3 accepts deletions
// of locked objects: it hides the version, and reports success. So each is checked
// first. A missing object is not deleted, which would leave a delete marker.
func (s *Store) Delete(ctx context.Context, keys ...string) error {
	var there []string
	for _, key := range keys {
		switch err := s.deletable(ctx, key); {
		case err == nil:
			there = append(there, key)
		case !errors.Is(err, objstore.ErrNotFound):
			return err
		}
	}
	for _, key := range there {
		if err := s.delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) delete(ctx context.Context, key string) error {
	ctx, end := objstore.Limit(ctx, objstore.Patience)
	defer end()
	_, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.o.Bucket, Key: &key})
	if code(err) == "NoSuchKey" { // some stores return this; S3 itself does not
		return nil
	}
	return s.fault(ctx, "s3:DeleteObject", err)
}

// deletable returns ErrLocked for a version under retention or legal hold. ErrNotFound.
func (s *Store) deletable(ctx context.Context, key string) error {
	ctx, end, err := s.begin(ctx, key)
	if err != nil {
		return err
	}
	defer end()
	out, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.o.Bucket, Key: &key})
	if err != nil {
		action, why := s.explained(ctx, key, err)
		return s.fault(ctx, action, why)
	}
	hold, until := out.ObjectLockLegalHoldStatus, out.ObjectLockRetainUntilDate
	// HEAD omits a lock that this access key may not see; asking for it returns an error.
	if out.VersionId != nil && until == nil {
		if until, err = s.retention(ctx, key, out.VersionId); err != nil {
			return err
		}
	}
	if out.VersionId != nil && hold == "" {
		if hold, err = s.legalHold(ctx, key, out.VersionId); err != nil {
			return err
		}
	}
	switch {
	case hold == types.ObjectLockLegalHoldStatusOn:
		return fault.New(fault.Conflict, "backup_object_held", "A legal hold protects this object in the S3 store, so "+
			"nothing was deleted. Ask whoever set it to remove it first.").With(objstore.ErrLocked)
	case until != nil && until.After(s.o.Now()):
		return fault.Newf(fault.Conflict, "backup_object_locked_until", "Object Lock protects this object in the S3 "+
			"store until {until}, so nothing was deleted. Delete it after that.",
			fault.Params{"until": until.UTC().Format("2006-01-02 15:04 UTC")}).With(objstore.ErrLocked)
	}
	return nil
}

func (s *Store) retention(ctx context.Context, key string, version *string) (*time.Time, error) {
	out, err := s.client.GetObjectRetention(ctx, &s3.GetObjectRetentionInput{Bucket: &s.o.Bucket, Key: &key, VersionId: version})
	if err != nil || out.Retention == nil {
		return nil, s.unlocked(ctx, "s3:GetObjectRetention", err)
	}
	return out.Retention.RetainUntilDate, nil
}

func (s *Store) legalHold(ctx context.Context, key string, version *string) (types.ObjectLockLegalHoldStatus, error) {
	out, err := s.client.GetObjectLegalHold(ctx, &s3.GetObjectLegalHoldInput{Bucket: &s.o.Bucket, Key: &key, VersionId: version})
	if err != nil || out.LegalHold == nil {
		return "", s.unlocked(ctx, "s3:GetObjectLegalHold", err)
	}
	return out.LegalHold.Status, nil
}

// unlocked returns nil for the many ways of saying that an object has no lock, or
// cannot have one: a store without locks may return the object itself.
func (s *Store) unlocked(ctx context.Context, action string, err error) error {
	switch status(err) {
	case http.StatusOK, http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusConflict,
		http.StatusNotImplemented:
		return nil
	}
	return s.fault(ctx, action, err)
}

// Versioned implements objstore.Store.
func (s *Store) Versioned(ctx context.Context) (bool, error) {
	out, err := s.client.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: &s.o.Bucket})
	if err != nil {
		return false, s.fault(ctx, "s3:GetBucketVersioning", err)
	}
	return out.Status == types.BucketVersioningStatusEnabled, nil
}

// until is when the lock of an object written now ends.
func (s *Store) until() time.Time { return s.o.Now().AddDate(0, 0, s.o.Lock.Days) }

// rehearse tests whether the bucket accepts locked objects. A real one could not be
// deleted, so this starts a multipart upload, and aborts it.
func (s *Store) rehearse(ctx context.Context, key string) error {
	begun, err := s.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{
		Bucket: &s.o.Bucket, Key: &key, ServerSideEncryption: types.ServerSideEncryption(s.o.Encryption.Algorithm),
		SSEKMSKeyId: nonEmpty(s.o.Encryption.KMSKeyID), ObjectLockMode: types.ObjectLockMode(s.o.Lock.Mode),
		ObjectLockRetainUntilDate: aws.Time(s.until()), ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
	})
	if err != nil {
		return s.fault(ctx, "s3:PutObject", err)
	}
	err = s.abort(ctx, types.MultipartUpload{Key: &key, UploadId: begun.UploadId})
	return s.fault(ctx, "s3:AbortMultipartUpload", err)
}
