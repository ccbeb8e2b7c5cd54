// Command vault-server is a HashiCorp Vault for tests: its own core and HTTP
// handler, with the engines KV, PKI, AppRole, cert and JWT alone, since the whole product
// takes twice as long to build. It keeps everything in memory, or in --data.
//
// It prints a line "listening ADDRESS" when it answers, and with --standby a
// second one, of a second node of the same cluster. It ends by SIGINT, SIGTERM,
// or when its standard input ends, so that it never outlives whoever holds the
// other end of that.
//
// It is a module of its own: Vault's license (BUSL) is not ours, and nothing of
// it gets into Keyward.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	log "github.com/hashicorp/go-hclog"
	kv "github.com/hashicorp/vault-plugin-secrets-kv"
	"github.com/hashicorp/vault/builtin/logical/pki"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/internalshared/configutil"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical"
	"github.com/hashicorp/vault/sdk/physical/file"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
)

type options struct {
	listen, data, level string
	cert, key           string
	standby             bool
}

func main() {
	var o options
	flag.StringVar(&o.listen, "listen", "127.0.0.1:0", "address to listen on")
	flag.StringVar(&o.data, "data", "", "directory of the storage; empty: memory")
	flag.StringVar(&o.cert, "tls-cert", "", "PEM file of the certificate; with --tls-key")
	flag.StringVar(&o.key, "tls-key", "", "PEM file of its key; without, it speaks plain HTTP")
	flag.StringVar(&o.level, "log-level", "error", "trace, debug, info, warn, error or off; to standard error")
	flag.BoolVar(&o.standby, "standby", false, "run a second node, which stands by; needs the storage in memory")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "vault-server:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	logger := log.New(&log.LoggerOptions{Level: log.LevelFromString(o.level), Output: os.Stderr})
	nodes, err := storages(o, logger)
	if err != nil {
		return err
	}
	failed := make(chan error, len(nodes))
	for _, n := range nodes {
		l, err := listen(ctx, o)
		if err != nil {
			return err
		}
		core, err := n.core(logger, o.address(l))
		if err != nil {
			return err
		}
		go func() { failed <- http.Serve(l, handler(core, l)) }()
		fmt.Println("listening", l.Addr())
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return nil // nothing in memory is worth an orderly end
	}
}

// node is where one core keeps what it has.
type node struct {
	data physical.Backend
	ha   physical.HABackend // nil: it is alone
}

func storages(o options, logger log.Logger) ([]node, error) {
	switch {
	case o.standby && o.data != "":
		return nil, errors.New("--standby and --data exclude each other")
	case o.standby:
		data, err := inmem.NewInmem(nil, logger)
		if err != nil {
			return nil, err
		}
		locks, err := inmem.NewInmemHA(nil, logger)
		if err != nil {
			return nil, err
		}
		n := node{data, locks.(physical.HABackend)}
		return []node{n, n}, nil
	case o.data != "":
		data, err := file.NewFileBackend(map[string]string{"path": o.data}, logger)
		return []node{{data: data}}, err
	}
	data, err := inmem.NewInmem(nil, logger)
	return []node{{data: data}}, err
}

func (n node) core(logger log.Logger, address string) (*vault.Core, error) {
	return vault.NewCore(&vault.CoreConfig{
		Physical: n.data, HAPhysical: n.ha, Logger: logger, DisableMlock: true, RedirectAddr: address,
		LogicalBackends:    map[string]logical.Factory{"kv": kv.Factory, "pki": pki.Factory},
		CredentialBackends: credentials(),
		BuiltinRegistry:    registry{}, DefaultLeaseTTL: 768 * time.Hour, MaxLeaseTTL: 87600 * time.Hour,
	})
}

func handler(core *vault.Core, l net.Listener) http.Handler {
	return vaulthttp.Handler.Handler(&vault.HandlerProperties{
		Core: core, ListenerConfig: &configutil.Listener{Address: l.Addr().String()},
	})
}

func listen(ctx context.Context, o options) (net.Listener, error) {
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp", o.listen)
	if err != nil || o.key == "" {
		return l, err
	}
	pair, err := tls.LoadX509KeyPair(o.cert, o.key)
	if err != nil {
		return nil, err
	}
	return tls.NewListener(l, &tls.Config{
		Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
		ClientAuth: tls.RequestClientCert, // as a Vault does, for the auth method cert
	}), nil
}

func (o options) address(l net.Listener) string {
	if o.key != "" {
		return "https://" + l.Addr().String()
	}
	return "http://" + l.Addr().String()
}
