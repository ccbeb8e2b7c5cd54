package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
)

// serveBare measures the raw limit of all reads: a net/http handler that only writes
// the bytes of a file.
func serveBare(ctx context.Context, args []string) error {
	content, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	var listen net.ListenConfig
	ln, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(content)
	})}
	context.AfterFunc(ctx, func() { _ = srv.Close() })
	fmt.Fprintf(os.Stderr, "bare serves \"listen\":%q\n", ln.Addr().String())
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// bare starts the bare handler with the server's response.
func (b *bench) bare(ctx context.Context, content []byte) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(b.temp, "answer-"+rand.Text())
	if err := os.WriteFile(file, content, 0o600); err != nil {
		return nil, err
	}
	p, err := b.spawn(ctx, nil, nil, self, "bare", file)
	if err != nil {
		return nil, err
	}
	return p, p.await(ctx, p.listening("bare serves", `"listen":"`))
}
