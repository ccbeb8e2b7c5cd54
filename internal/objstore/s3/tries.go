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

// last is how many tries again all requests have in common, once one has come to its end
// without any answer. What comes after a failed upload is several requests, and each
// would otherwise wait just as long again for a store that is gone.
const last = 2

var errNobody = errors.New("the store has not answered for a while, so it is not asked again")

// tries says how often a request is made again, and after which pause: each one by
// itself, as long as the store answers.
type tries struct {
	aws.RetryerV2

	hopeless func(ctx context.Context, why error) bool // no other try can succeed

	mu     sync.Mutex
	silent bool // a request had no answer to its last try, nor has any since
	left   int  // of those in common
}

func newTries(attempts int, pause time.Duration, hopeless func(context.Context, error) bool) *tries {
	standard := retry.NewStandard(func(r *retry.StandardOptions) { r.MaxAttempts, r.MaxBackoff = attempts, pause })
	return &tries{RetryerV2: standard, hopeless: hopeless}
}

// GetAttemptToken is aws.RetryerV2's. What it gives is called with each try's end.
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

// GetRetryToken is aws.RetryerV2's: the leave to try again.
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

// watch looks at the end of each request, after all of its tries.
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
