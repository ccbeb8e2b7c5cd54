package s3

import (
	"bytes"
	"context"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/keyward/keyward/internal/objstore"
)

// Begin begins a multipart upload that never ends, like a killed one.
func (s *Store) Begin(ctx context.Context, key string) error {
	made, err := s.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: &s.o.Bucket, Key: &key})
	if err != nil {
		return err
	}
	_, err = s.client.UploadPart(ctx, &s3.UploadPartInput{
		Bucket: &s.o.Bucket, Key: &key, UploadId: made.UploadId, PartNumber: aws.Int32(1), Body: bytes.NewReader([]byte("half")),
	})
	return err
}

// Sign is Link without checking the object.
func (s *Store) Sign(ctx context.Context, key string) (objstore.Link, error) { return s.sign(ctx, key) }

// Hold puts an object under legal hold.
func (s *Store) Hold(ctx context.Context, key string) error {
	_, err := s.client.PutObjectLegalHold(ctx, &s3.PutObjectLegalHoldInput{Bucket: &s.o.Bucket, Key: &key,
		LegalHold: &types.ObjectLockLegalHold{Status: types.ObjectLockLegalHoldStatusOn}})
	return err
}

// Versions returns the keys of all versions in the bucket, and the number of delete markers.
func (s *Store) Versions(ctx context.Context) (keys []string, markers int, err error) {
	out, err := s.client.ListObjectVersions(ctx, &s3.ListObjectVersionsInput{Bucket: &s.o.Bucket})
	if err != nil {
		return nil, 0, err
	}
	for _, v := range out.Versions {
		keys = append(keys, *v.Key)
	}
	return keys, len(out.DeleteMarkers), nil
}

// Between inserts a transport between the store and the network. Connections are not reused.
func (s *Store) Between(do func(to http.RoundTripper) http.RoundTripper) {
	s.transport.DisableKeepAlives = true
	client, _ := s.client.Options().HTTPClient.(*http.Client)
	client.Transport = do(s.transport)
}
