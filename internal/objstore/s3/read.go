package s3

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/keyward/keyward/internal/objstore"
)

// Stat implements objstore.Store.
func (s *Store) Stat(ctx context.Context, key string) (objstore.Object, error) {
	ctx, end, err := s.begin(ctx, key)
	if err != nil {
		return objstore.Object{}, err
	}
	defer end()
	o, _, err := s.head(ctx, key)
	return o, err
}

// head returns an object, and the mark of the upload that made it.
func (s *Store) head(ctx context.Context, key string) (objstore.Object, string, error) {
	out, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.o.Bucket, Key: &key})
	if err != nil {
		action, why := s.explained(ctx, key, err)
		return objstore.Object{}, "", s.fault(ctx, action, why)
	}
	if out.ETag == nil {
		return objstore.Object{}, "", foreign(errNoTag)
	}
	return object(key, out.ContentLength, out.LastModified), out.Metadata[markName], nil
}

// object truncates the time to seconds: HEAD and lists differ in their precision.
func object(key string, size *int64, modified *time.Time) objstore.Object {
	return objstore.Object{Key: key, Size: aws.ToInt64(size), ModifiedAt: aws.ToTime(modified).UTC().Truncate(time.Second)}
}

// What every S3 store sends: anything may answer 200.
var (
	errNoTag    = errors.New("an object without an ETag")
	errNoBucket = errors.New("a list without its bucket")
)

// explained finds out what HEAD cannot say: its response has no body, so wrong
// credentials, a missing permission and a missing bucket look alike. Listing fails
// for the same reason, with an error code. Without the permission to list, a missing
// object looks forbidden: then either permission may be missing.
func (s *Store) explained(ctx context.Context, key string, err error) (action string, why error) {
	action = "s3:GetObject"
	switch status(err) {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusMovedPermanently:
	default:
		return action, err
	}
	_, why = s.client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &s.o.Bucket, Prefix: &key, MaxKeys: aws.Int32(1)})
	switch {
	case why == nil:
		return action, err
	case code(why) == "AccessDenied":
		return "s3:ListBucket, s3:GetObject", err
	}
	return action, why
}

// Each implements objstore.Store.
func (s *Store) Each(ctx context.Context, each func(objstore.Object) error) error {
	ctx, end := objstore.Limit(ctx, objstore.Patience)
	defer end()
	pages := s3.NewListObjectsV2Paginator(s.client, &s3.ListObjectsV2Input{
		Bucket: &s.o.Bucket, Prefix: aws.String(s.o.Prefix + objstore.Stem), Delimiter: aws.String("/"),
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return s.fault(ctx, "s3:ListBucket", err)
		}
		if page.Name == nil {
			return foreign(errNoBucket)
		}
		for _, c := range page.Contents {
			o := object(aws.ToString(c.Key), c.Size, c.LastModified)
			if _, ok := objstore.ParseName(s.o.Prefix, o.Key); !ok {
				continue
			}
			if err := each(o); err != nil {
				return err
			}
		}
	}
	return nil
}

// Link implements objstore.Store. The link uses the endpoint as this server knows it.
func (s *Store) Link(ctx context.Context, key string) (objstore.Link, error) {
	if _, err := s.Stat(ctx, key); err != nil {
		return objstore.Link{}, err
	}
	return s.sign(ctx, key)
}

func (s *Store) sign(ctx context.Context, key string) (objstore.Link, error) {
	at := s.o.Now().UTC().Truncate(time.Second)
	out, err := s3.NewPresignClient(s.client, s3.WithPresignExpires(objstore.LinkLifetime), func(o *s3.PresignOptions) {
		o.Presigner = clock{s.signer, func() time.Time { return at }}
	}).PresignGetObject(ctx, &s3.GetObjectInput{Bucket: &s.o.Bucket, Key: &key})
	if err != nil {
		return objstore.Link{}, s.fault(ctx, "s3:GetObject", err)
	}
	return objstore.Link{URL: out.URL, ExpiresAt: at.Add(objstore.LinkLifetime)}, nil
}

// Sweep implements objstore.Store.
func (s *Store) Sweep(ctx context.Context, before time.Time) (swept int, err error) {
	ctx, end := objstore.Limit(ctx, objstore.Patience)
	defer end()
	pages := s3.NewListMultipartUploadsPaginator(s.client, &s3.ListMultipartUploadsInput{
		Bucket: &s.o.Bucket, Prefix: aws.String(s.o.Prefix + objstore.Stem),
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return swept, s.fault(ctx, "s3:ListBucketMultipartUploads", err)
		}
		if page.Bucket == nil {
			return swept, foreign(errNoBucket)
		}
		for _, u := range page.Uploads {
			if _, ok := objstore.ParseName(s.o.Prefix, aws.ToString(u.Key)); !ok || !aws.ToTime(u.Initiated).Before(before) {
				continue
			}
			if err := s.abort(ctx, u); err != nil {
				return swept, s.fault(ctx, "s3:AbortMultipartUpload", err)
			}
			swept++
		}
	}
	return swept, nil
}

func (s *Store) abort(ctx context.Context, u types.MultipartUpload) error {
	_, err := s.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &s.o.Bucket, Key: u.Key, UploadId: u.UploadId})
	if code(err) == "NoSuchUpload" {
		return nil
	}
	return err
}
