// Command licensestates is a license service for tests that can switch its installation
// to any of the states. The service is the real one, on an in-memory vault; the events
// that led to the state happened on a clock of its own, up to now.
//
//	ready http://127.0.0.1:PORT               what it prints when it answers
//
//	GET /license/status …                     as api/license.yaml says, with Token
//	PUT /test/state                           EXPIRING, or another key of histories
//	GET /test/license?from=0&to=365           a license file, from and to in days from now
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

// Token is the backend's token (LICENSE_SERVICE_TOKEN).
const Token = "the-token-of-licensestates"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run serves until ctx ends.
func run(ctx context.Context, out io.Writer) error {
	handler, err := newHandler(ctx)
	if err != nil {
		return err
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if _, err := fmt.Fprintf(out, "ready http://%s\n", ln.Addr()); err != nil {
		return err
	}
	if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// newHandler serves an installation, initially in its trial, and the switch to other
// states.
func newHandler(ctx context.Context) (http.Handler, error) {
	i := &installation{vendor: newVendor()}
	if err := i.reach(ctx, "TRIAL"); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { i.service().ServeHTTP(w, r) })
	mux.HandleFunc("PUT /test/state", func(w http.ResponseWriter, r *http.Request) {
		state, err := io.ReadAll(io.LimitReader(r.Body, 1<<10))
		if err == nil {
			err = i.reach(r.Context(), string(state))
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /test/license", func(w http.ResponseWriter, r *http.Request) {
		from, wrong := strconv.Atoi(r.FormValue("from"))
		to, err := strconv.Atoi(r.FormValue("to"))
		var file []byte
		if err = errors.Join(wrong, err); err == nil {
			file, err = i.vendor.issue(i.id(), time.Now().Add(days(from)), time.Now().Add(days(to)+slack))
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(file)
	})
	return mux, nil
}
