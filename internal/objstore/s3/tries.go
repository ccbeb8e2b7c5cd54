package s3

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go/middleware"
)

// last is how many retries all requests share, once one has got no answer at all. A
// failed upload is followed by several requests, and each would otherwise wait as
// long again for a store that is gone.
const last = 2

var errNobody = errors.New("the store has not answered for a while, so it is not asked again")

// tries decides how often and after which pause a request is retried: each
// independently, as long as the store answers.
type tries struct {
	aws.RetryerV2

	hopeless func(ctx context.Context, why error) bool // no retry can succeed

	mu     sync.Mutex
	silent bool // a request got no answer to its last attempt, nor has any since
	left   int  // shared retries
}

func newTries(attempts int, pause time.Duration, hopeless func(context.Context, error) bool) *tries {
	standard := retry.NewStandard(func(r *retry.StandardOptions) { r.MaxAttempts, r.MaxBackoff = attempts, pause })
	return &tries{RetryerV2: standard, hopeless: hopeless}
}

// GetAttemptToken implements aws.RetryerV2. The returned function is called after each attempt.
func (t *tries) GetAttemptToken(ctx context.Context) (func(error) error, error) {
	release, err := t.RetryerV2.GetAttemptToken(ctx)
	if err != nil {
		return nil, err
	}
	return func(err error) error {
		if err == nil || status(err) != 0 {
			t.mu.Lock()
			t.silent = false
			t.mu.Unlock()
		}
		return release(err)
	}, nil
}

// GetRetryToken implements aws.RetryerV2: it permits a retry.
func (t *tries) GetRetryToken(ctx context.Context, why error) (func(error) error, error) {
	if t.hopeless(ctx, why) {
		return nil, why
	}
	t.mu.Lock()
	none := t.silent && t.left == 0
	if t.silent && !none {
		t.left--
	}
	t.mu.Unlock()
	if none {
		return nil, errNobody
	}
	return t.RetryerV2.GetRetryToken(ctx, why)
}

// watch observes the end of each request, after all its attempts.
func (t *tries) watch(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("Tries",
		func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
			out middleware.InitializeOutput, about middleware.Metadata, err error,
		) {
			out, about, err = next.HandleInitialize(ctx, in)
			if err != nil && status(err) == 0 && ctx.Err() == nil {
				t.mu.Lock()
				if !t.silent {
					t.silent, t.left = true, last
				}
				t.mu.Unlock()
			}
			return out, about, err
		}), middleware.Before)
}
