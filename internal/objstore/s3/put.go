package s3

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	tm "github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager/types"

	"github.com/keyward/keyward/internal/objstore"
)

const (
	// partSize is S3's minimum; 10,000 parts hold 48 GiB, more than the largest backup (32 GiB).
	partSize = 5 << 20
	// concurrency is how many parts are sent at once. Each is held in memory, plus one being read.
	concurrency = 4
	// markName is the metadata key of the upload's mark.
	markName = "keyward-upload"
	// settle limits the time spent on a failed upload: what happened to it, and its removal.
	settle = time.Minute
	// grace is how long requests of a cancelled upload may take to finish.
	grace = 10 * time.Second
)

// Put implements objstore.Store.
func (s *Store) Put(ctx context.Context, key string, content io.Reader) (objstore.Object, error) {
	ctx, end, err := s.begin(ctx, key)
	if err != nil {
		return objstore.Object{}, err
	}
	defer end()
	if _, _, err := s.head(ctx, key); !errors.Is(err, objstore.ErrNotFound) {
		if err == nil {
			err = objstore.Exists(nil)
		}
		return objstore.Object{}, err
	}
	if s.o.Lock.Mode != "" && objstore.IsProbe(s.o.Prefix, key) {
		if err := s.rehearse(ctx, key); err != nil {
			return objstore.Object{}, err
		}
	}
	u := &upload{s: s, S3APIClient: s.client, mark: rand.Text(), key: key, content: source{ctx: ctx, r: content}}
	_, err = transfermanager.New(u, func(o *transfermanager.Options) {
		o.PartSizeBytes, o.MultipartUploadThreshold = partSize, partSize
		o.Concurrency = concurrency
		o.FailTimeout = settle
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		if s.o.Lock.Mode != "" { // S3 requires a checksum then
			o.ChecksumAlgorithm = tm.ChecksumAlgorithmCrc32
		}
	}).UploadObject(ctx, s.input(u))
	switch {
	case u.made.Key != "":
		return u.made, nil
	case u.content.err != nil && !errors.Is(u.content.err, io.EOF):
		return objstore.Object{}, fmt.Errorf("object store: what should be written cannot be read: %w", u.content.err)
	}
	if err = u.failure(ctx, err); err == nil {
		err = unsure(ctx.Err())
	}
	return objstore.Object{}, err
}

// input describes the object to create.
func (s *Store) input(u *upload) *transfermanager.UploadObjectInput {
	in := &transfermanager.UploadObjectInput{
		Bucket: &s.o.Bucket, Key: &u.key, Body: &u.content, ContentType: aws.String("application/octet-stream"),
		Metadata: map[string]string{markName: u.mark}, IfNoneMatch: aws.String("*"),
		ServerSideEncryption: tm.ServerSideEncryption(s.o.Encryption.Algorithm), SSEKMSKeyID: nonEmpty(s.o.Encryption.KMSKeyID),
	}
	if s.o.Lock.Mode != "" && !objstore.IsProbe(s.o.Prefix, u.key) {
		in.ObjectLockMode, in.ObjectLockRetainUntilDate = tm.ObjectLockMode(s.o.Lock.Mode), aws.Time(s.until())
	}
	return in
}

// source reads the content, and remembers its size and how it ended.
type source struct {
	ctx context.Context
	r   io.Reader
	n   int64
	err error
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	if s.ctx.Err() != nil { // not a failure of the reader
		return 0, s.ctx.Err()
	}
	n, err := s.r.Read(p)
	s.n += int64(n)
	if err != nil {
		s.err = err
	}
	return n, err
}

// refusals are errors that mean that nothing was done.
var refusals = []string{
	"AccessDenied", "InvalidAccessKeyId", "XAdminUserNotFound", "SignatureDoesNotMatch", "RequestTimeTooSkewed", "NoSuchBucket",
	"EntityTooLarge", "InvalidRequest", "InvalidArgument", "AuthorizationHeaderMalformed", "PermanentRedirect", "XMinioStorageFull",
	"QuotaExceeded",
}

func refused(err error) bool {
	c := code(err)
	return slices.Contains(refusals, c) || strings.HasPrefix(c, "KMS.")
}
