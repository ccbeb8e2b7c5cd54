//go:build !exhaustive

package s3_test

import (
	"testing"

	"github.com/keyward/keyward/test/s3server"
)

var servers = map[string]func(testing.TB) *s3server.Server{"versitygw": s3server.Shared}
