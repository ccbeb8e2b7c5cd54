package s3server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/host"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/programs"
)

// The account with all permissions, and the region.
const (
	AccessKeyID = "keyward-test-key"
	SecretKey   = "keyward-test-secret-0123456789"
	Region      = "eu-test-1"
)

// Server is a running store. Both addresses of versitygw lead to the same objects.
type Server struct {
	Plain string // http://127.x.y.z:PORT
	TLS   string // https:// https://, with an untrusted certificate

	Authority []byte // PEM, of that certificate

	dir string // of buckets, each a folder
}

// Main is for a TestMain: it runs the tests, and ends and removes what Shared started.
func Main(run func() int) int {
	defer func() {
		for _, end := range append(ends.processes, ends.directories...) {
			end()
		}
	}()
	return run()
}

// ends are the cleanups at the end. Two kinds of servers may start concurrently.
var ends struct {
	mu                     sync.Mutex
	processes, directories []func()
}

// atEnd adds to a list of ends.
func atEnd(list *[]func(), do func()) {
	ends.mu.Lock()
	defer ends.mu.Unlock()
	*list = append(*list, do)
}

var shared = sync.OnceValues(start)

// Shared is the versitygw of a test process.
func Shared(t testing.TB) *Server {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var count atomic.Int64

// Bucket creates a bucket for one test.
func (s *Server) Bucket(t testing.TB) string {
	t.Helper()
	name := s.name()
	must.OK(t, os.Mkdir(filepath.Join(s.dir, "objects", name), 0o700))
	return name
}

func (s *Server) name() string { return fmt.Sprintf("bucket-%d", count.Add(1)) }

// Fill puts empty objects into a bucket by creating their files.
func (s *Server) Fill(t testing.TB, bucket string, keys []string) {
	t.Helper()
	for _, key := range keys {
		must.OK(t, os.WriteFile(filepath.Join(s.dir, "objects", bucket, key), nil, 0o600))
	}
}

// File returns the path of an object's content.
func (s *Server) File(bucket, key string) string {
	return filepath.Join(s.dir, "objects", bucket, filepath.FromSlash(key))
}

// Objects returns the keys of a bucket, bypassing the server, and the files of
// incomplete uploads.
func (s *Server) Objects(t testing.TB, bucket string) (keys, parts []string) {
	t.Helper()
	top := filepath.Join(s.dir, "objects", bucket)
	must.OK(t, filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // just deleted
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		name := strings.TrimPrefix(path, top+"/")
		if strings.HasPrefix(name, ".sgwtmp/") {
			parts = append(parts, name)
		} else {
			keys = append(keys, name)
		}
		return nil
	}))
	return keys, parts
}

func start() (*Server, error) {
	binary, err := program()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "keyward-s3")
	if err != nil {
		return nil, err
	}
	atEnd(&ends.directories, func() { _ = os.RemoveAll(dir) })
	s := &Server{dir: dir}
	address := host.Address()
	cert, key, err := newPair(dir, address)
	if err == nil {
		s.Authority, err = os.ReadFile(cert)
	}
	for _, name := range []string{"objects", "metadata", "versions"} {
		err = errors.Join(err, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	if err != nil {
		return nil, err
	}
	s.Plain, s.TLS = "http://"+net.JoinHostPort(address, "17070"), "https://"+net.JoinHostPort(address, "17071")
	return s, errors.Join(s.run(binary, s.Plain), s.run(binary, s.TLS, "--cert", cert, "--key", key))
}

// run starts a server process at an address, and waits until it serves.
func (s *Server) run(binary, address string, more ...string) error {
	_, at, _ := strings.Cut(address, "://")
	args := append([]string{"--quiet", "--keep-alive", "--region", Region, "--port", at, "--health", "/health"}, more...)
	args = append(args, "posix", "--sidecar", filepath.Join(s.dir, "metadata"), "--versioning-dir", filepath.Join(s.dir, "versions"),
		filepath.Join(s.dir, "objects"))
	return s.serve(address, "/health", binary, args...)
}

// serve runs a program, and waits until it answers at a path.
func (s *Server) serve(address, health, binary string, args ...string) error {
	cmd := exec.Command(binary, args...)
	cmd.Env = []string{
		"ROOT_ACCESS_KEY=" + AccessKeyID, "ROOT_SECRET_KEY=" + SecretKey, "HOME=" + s.dir, // versitygw's
		"MINIO_ROOT_USER=" + AccessKeyID, "MINIO_ROOT_PASSWORD=" + SecretKey, "MINIO_REGION=" + Region, "MINIO_BROWSER=off",
	}
	cmd.Dir = s.dir
	var said await.Text
	cmd.Stdout, cmd.Stderr = &said, &said
	// The kernel ends it with the thread that created it (PR_SET_PDEATHSIG).
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started, ended := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
		close(ended)
	}()
	if err := <-started; err != nil {
		return err
	}
	atEnd(&ends.processes, func() { _ = cmd.Process.Kill(); <-ended })
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: Trusting(), DisableKeepAlives: true}}
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address+health, nil)
		if err != nil {
			return err
		}
		if res, err := client.Do(r); err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ended:
			return fmt.Errorf("%s has ended:\n%s", filepath.Base(binary), said.String())
		case <-time.After(pause):
		}
	}
}

// program returns the path of the server's program.
var program = sync.OnceValues(func() (string, error) { return programs.Tool("versitygw") })
