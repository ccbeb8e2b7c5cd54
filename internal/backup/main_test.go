package backup_test

import (
	"os"
	"testing"

	"github.com/keyward/keyward/test/s3server"
)

func TestMain(m *testing.M) { os.Exit(s3server.Main(m.Run)) }
