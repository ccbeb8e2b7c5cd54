package flow_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/attestation"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/sqlitetest"
	"github.com/keyward/keyward/internal/vault/embedded"
)

const adminPassword = "correct horse battery"

// service is a whole backend in a process of its own: the HTTP library that
// service and agent share keeps some of its settings in package variables, so
// the two do not fit into one process.
type service struct {
	url      string
	database string // the SQLite file
}

// The child's environment: where its data goes, and how long it waits for a
// locked database.
const (
	childData = "KEYWARD_FLOW_TEST_DATA"
	childBusy = "KEYWARD_FLOW_TEST_BUSY"
)

// TestMain is also the child's main.
func TestMain(m *testing.M) {
	if dir := os.Getenv(childData); dir != "" {
		if err := serve(dir, os.Getenv(childBusy)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// rootFile is where the child finds the root that the cards' attestations end at.
const rootFile = "attestation-root.pem"

// startService runs the child until the test ends.
func startService(t *testing.T, busy time.Duration, root []byte) *service {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sqlitetest.Put(t, filepath.Join(dir, "keyward.db"))
	if err := os.WriteFile(filepath.Join(dir, rootFile), root, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self) // #nosec G204 -- this very program
	cmd.Env = append(os.Environ(), childData+"="+dir, childBusy+"="+busy.String())
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close() // tells the child to end
		if err := cmd.Wait(); err != nil {
			t.Error("the service:", err)
		}
	})
	url, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal("the service did not start:", err)
	}
	return &service{strings.TrimSpace(url), filepath.Join(dir, "keyward.db")}
}

// serve is the child: it tells its address and ends when its input does.
func serve(dir, busy string) (err error) {
	wait, err := time.ParseDuration(busy)
	if err != nil {
		return err
	}
	ctx, log := context.Background(), slog.New(slog.DiscardHandler)
	db, err := store.OpenSQLite(ctx, filepath.Join(dir, "keyward.db"), store.Options{BusyTimeout: wait})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	engine, err := embedded.Open(ctx, embedded.Options{
		Path: dir, PublicBase: "http://localhost", CAKeyType: piv.ECP256, Logger: log,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	root, err := os.ReadFile(filepath.Join(dir, rootFile)) // #nosec G304 -- the test's own
	if err != nil {
		return err
	}
	verifier, err := attestation.New(root)
	if err != nil {
		return err
	}
	kv := &faultyKV{KV: engine}
	handler := wire(db, engine, kv, verifier, log)
	keep := func(secret.String) error { return nil } // nothing to show: the password is given
	if err := handler.users.Bootstrap(ctx, secret.New(adminPassword), keep); err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/", handler.http)
	mux.HandleFunc("/test/vault/{serial}", kv.control)
	mux.HandleFunc("/test/document/{serial}", tellDocument(engine))
	server := httptest.NewServer(mux)
	defer server.Close()
	if _, err := fmt.Fprintln(os.Stdout, server.URL); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
