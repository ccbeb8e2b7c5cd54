package s3server

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/keyward/keyward/test/host"
	"github.com/keyward/keyward/test/programs"
)

var minio = sync.OnceValues(startMinIO)

// MinIO is the MinIO of a test process, which takes a few minutes to build. It has no
// KMS. Only the server itself can list the content of its buckets.
func MinIO(t testing.TB) *Server {
	t.Helper()
	s, err := minio()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func startMinIO() (*Server, error) {
	binary, err := programs.Tool("minio")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "keyward-minio")
	if err != nil {
		return nil, err
	}
	atEnd(&ends.directories, func() { _ = os.RemoveAll(dir) })
	s := &Server{dir: dir}
	certs, encrypted, address := filepath.Join(dir, "certs"), filepath.Join(dir, "encrypted"), host.Address()
	err = errors.Join(os.Mkdir(certs, 0o700), os.Mkdir(encrypted, 0o700), os.Mkdir(filepath.Join(dir, "objects"), 0o700))
	if err != nil {
		return nil, err
	}
	cert, key, err := newPair(certs, address)
	if err != nil {
		return nil, err
	}
	if s.Authority, err = os.ReadFile(cert); err != nil {
		return nil, err
	}
	err = errors.Join(os.Rename(cert, filepath.Join(certs, "public.crt")), os.Rename(key, filepath.Join(certs, "private.key")))
	if err != nil {
		return nil, err
	}
	plain, tls := net.JoinHostPort(address, "17072"), net.JoinHostPort(address, "17073")
	s.Plain, s.TLS = "http://"+plain, "https://"+tls
	const health = "/minio/health/live"
	return s, errors.Join(
		s.serve(s.Plain, health, binary, "server", "--quiet", "--address", plain, filepath.Join(dir, "objects")),
		s.serve(s.TLS, health, binary, "server", "--quiet", "--address", tls, "--certs-dir", certs, encrypted),
	)
}
