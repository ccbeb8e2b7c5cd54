package flow_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/internal/vault/remote"
)

// publicBase is the site in certificates.
const publicBase = "http://localhost"

// serve is the child: it reads its orders, reports its address, and ends when its input
// does.
func serve(in io.Reader, out io.Writer) (err error) {
	var o orders
	input := json.NewDecoder(in)
	if err := input.Decode(&o); err != nil {
		return fmt.Errorf("the service's orders: %w", err)
	}
	ctx, log := context.Background(), slog.New(slog.DiscardHandler)
	db, err := o.openDatabase(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	engine, err := o.openVault(ctx, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	verifier, err := pki.NewVerifier(o.Root)
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
	if _, err := fmt.Fprintln(out, server.URL); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, in); err != nil {
		return err
	}
	return handler.settle(ctx)
}

func (o orders) openDatabase(ctx context.Context) (*store.DB, error) {
	if o.Database == "" {
		return store.OpenSQLite(ctx, filepath.Join(o.Dir, "keyward.db"), store.Options{})
	}
	return store.OpenPostgres(ctx, store.Server{URL: secret.New(o.Database)}, store.Options{})
}

func (o orders) openVault(ctx context.Context, log *slog.Logger) (vault.Engine, error) {
	if o.Vault == nil {
		return embedded.Open(ctx, embedded.Options{Path: o.Dir, PublicBase: publicBase, CAKeyType: piv.ECP256, Logger: log})
	}
	v := o.Vault
	return remote.Open(ctx, remote.Options{
		Address: v.Address, CACert: v.CACert, Mounts: v.Mounts,
		Login:      remote.Login{RoleID: secret.Fixed(v.RoleID), SecretID: secret.Fixed(v.SecretID)},
		PublicBase: publicBase, Timeout: time.Minute, Logger: log, // however slow the machine is
	})
}
