package s3

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"
	"github.com/aws/smithy-go/middleware"

	"github.com/keyward/keyward/internal/loopback"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/tracing"
)

// Store is a bucket, or the part of it under a prefix.
type Store struct {
	o         Options
	client    *s3.Client
	transport *http.Transport
	signer    *v4.Signer
	encrypted encrypted
}

var _ objstore.Store = (*Store)(nil)

// New returns a client. It sends nothing: Probe checks the settings.
func New(o Options) (*Store, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	s := &Store{
		o: o, transport: o.transport(),
		signer: v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true }), // as S3 requires
	}
	tries := newTries(o.Attempts, o.Pause, s.hopeless)
	s.client = s3.New(s3.Options{
		Region: o.Region, BaseEndpoint: nonEmpty(o.Endpoint), UsePathStyle: o.PathStyle,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: o.AccessKeyID, SecretAccessKey: o.SecretKey.Reveal(), Source: "settings"}, nil
		}),
		HTTPClient:   &http.Client{Transport: tracing.Transport{Next: s.transport, To: "S3"}, CheckRedirect: stay},
		HTTPSignerV4: clock{s.signer, o.Now},
		Retryer:      tries,
		APIOptions:   []func(*middleware.Stack) error{tries.watch},
		// Other stores do not support checksums in trailers.
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenRequired,
		DisableClockSkewCorrection: true, // links would be wrong anyway: the clock must be set
		Logger:                     logging.Nop{},
	})
	return s, nil
}

// clock signs with our own clock. A signer caches keys by access key ID, so each
// store has its own: the secret may differ.
type clock struct {
	signer *v4.Signer
	now    func() time.Time
}

// SignHTTP implements s3.HTTPSignerV4.
func (c clock) SignHTTP(
	ctx context.Context, k aws.Credentials, r *http.Request, payload, service, region string, _ time.Time, o ...func(*v4.SignerOptions),
) error {
	return c.signer.SignHTTP(ctx, k, r, payload, service, region, c.now(), o...)
}

// PresignHTTP implements s3.HTTPPresignerV4.
func (c clock) PresignHTTP(
	ctx context.Context, k aws.Credentials, r *http.Request, payload, service, region string, _ time.Time, o ...func(*v4.SignerOptions),
) (string, http.Header, error) {
	return c.signer.PresignHTTP(ctx, k, r, payload, service, region, c.now(), o...)
}

func (o *Options) transport() *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: (&net.Dialer{
			Timeout: 10 * time.Second, KeepAlive: 15 * time.Second, ControlContext: loopback.RefuseLinkLocal}).DialContext,
		TLSClientConfig: &tls.Config{
			MinVersion:         tls.VersionTLS12,
			InsecureSkipVerify: o.InsecureTLS, // #nosec G402 -- the setting is there for it
			RootCAs:            o.Roots,
		},
		TLSHandshakeTimeout:    10 * time.Second,
		ExpectContinueTimeout:  time.Second,
		MaxIdleConnsPerHost:    concurrency,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}
}

// stay follows no redirect: a signature is for one host.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func nonEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Prefix implements objstore.Store.
func (s *Store) Prefix() string { return s.o.Prefix }

// Close implements objstore.Store.
func (s *Store) Close() error {
	s.transport.CloseIdleConnections()
	return nil
}

// begin checks a key, and limits the operation's time.
func (s *Store) begin(ctx context.Context, key string) (context.Context, context.CancelFunc, error) {
	if err := errors.Join(objstore.CheckKey(s.o.Prefix, key), ctx.Err()); err != nil {
		return nil, nil, err
	}
	ctx, end := objstore.Limit(ctx, objstore.Patience)
	return ctx, end, nil
}
