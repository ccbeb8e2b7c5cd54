package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Open implements objstore.Store. If a connection ends too early, it reconnects and
// continues where it broke off.
func (s *Store) Open(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	ctx, end, err := s.begin(ctx, key)
	if err != nil {
		return nil, err
	}
	r := &reader{s: s, ctx: ctx, end: end, key: key, at: offset, until: -1}
	if length >= 0 {
		r.until = offset + length
	}
	if err := r.connect(); err != nil {
		end()
		return nil, err
	}
	return r, nil
}

// reader is an object's content from at to until.
type reader struct {
	s         *Store
	ctx       context.Context
	end       context.CancelFunc
	key       string
	at, until int64 // until: -1 is unknown
	tag       *string
	body      io.ReadCloser
	failures  int // since the last data
}

// connect requests the rest of the same object: one with another tag is an error.
func (r *reader) connect() error {
	in := &s3.GetObjectInput{Bucket: &r.s.o.Bucket, Key: &r.key, IfMatch: r.tag}
	switch {
	case r.until >= 0 && r.at >= r.until:
		r.body, r.until = http.NoBody, r.at
		_, _, err := r.s.head(r.ctx, r.key) // whether it exists
		return err
	case r.until >= 0:
		in.Range = aws.String(fmt.Sprintf("bytes=%d-%d", r.at, r.until-1))
	case r.at > 0:
		in.Range = aws.String(fmt.Sprintf("bytes=%d-", r.at))
	}
	out, err := r.s.client.GetObject(r.ctx, in)
	switch {
	case code(err) == "InvalidRange": // past the end
		r.body, r.until = http.NoBody, r.at
		return nil
	case err != nil:
		return r.s.fault(r.ctx, "s3:GetObject", err)
	case out.ETag == nil:
		return errors.Join(foreign(errNoTag), out.Body.Close())
	case out.ContentLength == nil:
		return errors.Join(foreign(errors.New("the answer does not say how long it is")), out.Body.Close())
	case in.Range != nil && out.ContentRange == nil:
		return errors.Join(foreign(errors.New("a part was asked for, and the whole object came")), out.Body.Close())
	}
	r.body, r.tag = out.Body, out.ETag
	r.until = r.at + aws.ToInt64(out.ContentLength)
	return nil
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	for {
		if r.at >= r.until {
			return 0, io.EOF
		}
		if err := r.ctx.Err(); err != nil { // a buffered body does not notice it
			return 0, r.s.fault(r.ctx, "s3:GetObject", err)
		}
		n, err := r.body.Read(p)
		if n > 0 {
			r.at, r.failures = r.at+int64(n), 0
			return n, nil // an error will be returned again
		}
		if err == nil {
			continue
		}
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		_ = r.body.Close()
		r.body = http.NoBody
		if err := r.again(err); err != nil {
			return 0, err
		}
	}
}

// again reconnects, a few times.
func (r *reader) again(why error) error {
	if r.failures++; r.failures >= r.s.o.Attempts || r.ctx.Err() != nil {
		return r.s.fault(r.ctx, "s3:GetObject", why)
	}
	r.s.o.Logger.WarnContext(r.ctx, "lost the connection to the backup store; continuing", "key", r.key, "at", r.at, "error", why)
	return r.connect()
}

// Close implements io.Closer.
func (r *reader) Close() error {
	defer r.end()
	return r.body.Close()
}
