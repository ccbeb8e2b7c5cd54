package s3

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
)

// upload is the S3 client of one upload. It is between the transfer manager and S3,
// and finds out what happened to the object if an answer was lost.
type upload struct {
	transfermanager.S3APIClient
	s         *Store
	key, mark string
	content   source
	made      objstore.Object // once successful

	mu    sync.Mutex
	first error // the cause, if any request failed
}

// PutObject is the whole upload of small content.
func (u *upload) PutObject(ctx context.Context, in *s3.PutObjectInput, o ...func(*s3.Options)) (*s3.PutObjectOutput, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx, end := toItsEnd(ctx)
	defer end()
	out, err := u.S3APIClient.PutObject(ctx, in, o...)
	if code(err) == "NotImplemented" && in.IfNoneMatch != nil { // an older store; head has checked
		if body, ok := in.Body.(io.Seeker); ok {
			if _, again := body.Seek(0, io.SeekStart); again == nil {
				in.IfNoneMatch = nil
				out, err = u.S3APIClient.PutObject(ctx, in, o...)
			}
		}
	}
	if err = u.settle(ctx, err); err != nil {
		return nil, err
	}
	if out == nil {
		out = &s3.PutObjectOutput{}
	}
	return out, nil
}

// toItsEnd returns a context that gives a request some time after its own context
// ends. A part that S3 receives while the upload is aborted would stay, and so would
// an upload whose id never came back.
func toItsEnd(ctx context.Context) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		last := time.AfterFunc(grace, cancel)
		context.AfterFunc(longer, func() { last.Stop() })
	})
	return longer, func() { stop(); cancel() }
}

// CreateMultipartUpload starts a multipart upload.
func (u *upload) CreateMultipartUpload(
	ctx context.Context, in *s3.CreateMultipartUploadInput, o ...func(*s3.Options),
) (*s3.CreateMultipartUploadOutput, error) {
	ctx, end := toItsEnd(ctx)
	defer end()
	out, err := u.S3APIClient.CreateMultipartUpload(ctx, in, o...)
	return out, u.failed(err)
}

// UploadPart sends a part.
func (u *upload) UploadPart(ctx context.Context, in *s3.UploadPartInput, o ...func(*s3.Options)) (*s3.UploadPartOutput, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx, end := toItsEnd(ctx)
	defer end()
	out, err := u.S3APIClient.UploadPart(ctx, in, o...)
	return out, u.failed(err)
}

// CompleteMultipartUpload joins the parts into an object. It returns no error, since
// the transfer manager would log it: see failure.
func (u *upload) CompleteMultipartUpload(
	ctx context.Context, in *s3.CompleteMultipartUploadInput, o ...func(*s3.Options),
) (*s3.CompleteMultipartUploadOutput, error) {
	finishing, end := toItsEnd(ctx)
	defer end()
	out, err := u.S3APIClient.CompleteMultipartUpload(finishing, in, o...)
	if code(err) == "NotImplemented" && in.IfNoneMatch != nil {
		in.IfNoneMatch = nil
		out, err = u.S3APIClient.CompleteMultipartUpload(finishing, in, o...)
	}
	settled := u.settle(ctx, err)
	if settled == nil && out != nil {
		return out, nil
	}
	if settled != nil { // also if it was given up midway
		u.mu.Lock()
		u.first = cmp.Or(u.first, settled)
		u.mu.Unlock()
	}
	if u.made.Key == "" {
		ctx, end := objstore.Limit(context.WithoutCancel(ctx), settle)
		defer end()
		_, _ = u.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: in.Bucket, Key: in.Key, UploadId: in.UploadId})
	}
	return &s3.CompleteMultipartUploadOutput{}, nil
}

// AbortMultipartUpload removes the parts. What it cannot remove is swept later: the
// upload's own failure matters more.
func (u *upload) AbortMultipartUpload(
	ctx context.Context, in *s3.AbortMultipartUploadInput, o ...func(*s3.Options),
) (*s3.AbortMultipartUploadOutput, error) {
	_, err := u.S3APIClient.AbortMultipartUpload(ctx, in, o...)
	switch {
	case code(err) == "NoSuchUpload": // completed meanwhile, or aborted by someone else
		if o, mark, err := u.s.head(ctx, u.key); err == nil && mark == u.mark && o.Size == u.content.n && !u.left() {
			u.made = o
		}
	case err != nil:
		u.s.o.Logger.WarnContext(ctx, "an upload to the backup store failed; its parts stay there until the next cleanup",
			"key", u.key, "error", err)
	}
	return &s3.AbortMultipartUploadOutput{}, nil
}

// settle finds out, after the last request, whether the whole object exists.
func (u *upload) settle(ctx context.Context, err error) error {
	ctx, end := objstore.Limit(context.WithoutCancel(ctx), settle)
	defer end()
	o, mark, unknown := u.s.head(ctx, u.key)
	switch {
	case refused(err):
		if unknown == nil && mark == u.mark { // some stores write first, and lock then
			return u.failed(u.takeBack(ctx, u.s.fault(ctx, "s3:PutObject", err)))
		}
		return u.failed(err)
	case unknown == nil && mark == u.mark && o.Size == u.content.n:
		u.made = o
		return nil
	case unknown == nil && err == nil && mark == "" && o.Size == u.content.n: // a store without metadata
		u.made = o
		return nil
	case err == nil && unknown != nil && !errors.Is(unknown, objstore.ErrNotFound): // it reported success, and now nothing
		u.made = objstore.Object{Key: u.key, Size: u.content.n, ModifiedAt: u.s.o.Now().UTC()}
		return nil
	case unknown == nil && mark != u.mark:
		return u.failed(objstore.Exists(err))
	case unknown == nil: // ours, but incomplete
		return u.failed(u.takeBack(ctx, differs(err)))
	case err == nil && errors.Is(unknown, objstore.ErrNotFound):
		return u.failed(differs(unknown))
	case errors.Is(unknown, objstore.ErrNotFound) && code(err) == "PreconditionFailed": // another one was there just now
		return u.failed(objstore.Exists(err))
	case errors.Is(unknown, objstore.ErrNotFound):
		return u.failed(err)
	}
	return u.failed(unsure(errors.Join(err, unknown)))
}

// takeBack deletes what a failed upload left, and returns why it failed.
func (u *upload) takeBack(ctx context.Context, why error) error {
	err := u.s.Delete(ctx, u.key)
	if f, ok := fault.As(why); ok && err != nil {
		return f.With(errors.Join(objstore.ErrLeft, err, why))
	}
	return why
}

// left reports whether the object should have been deleted and was not.
func (u *upload) left() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return errors.Is(u.first, objstore.ErrLeft)
}

// failed records the first failure, which the transfer manager may hide.
func (u *upload) failed(err error) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if err != nil && u.first == nil && !errors.Is(err, context.Canceled) {
		u.first = err
	}
	return err
}

// failure returns the error for Put.
func (u *upload) failure(ctx context.Context, err error) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.first != nil {
		err = u.first
	}
	if f, ok := fault.As(err); ok {
		return f
	}
	return u.s.fault(ctx, "s3:PutObject", err)
}

var _ transfermanager.S3APIClient = (*upload)(nil)
