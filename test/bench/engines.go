package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/internal/store/storebench"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/test/vaultserver"
)

// pair is the two engines of a server.
type pair struct {
	flag, name string // the name is empty for the pair on which every figure is measured
	postgres   bool
	vault      bool
}

var (
	onSQLite   = pair{flag: "sqlite"}                                       // and the embedded vault
	onPostgres = pair{flag: "postgres", name: "PostgreSQL", postgres: true} // and the embedded vault
	onVault    = pair{flag: "vault", name: "PostgreSQL and Vault", postgres: true, vault: true}
	pairs      = []pair{onSQLite, onPostgres, onVault}
)

// choosePairs parses -on.
func choosePairs(on string) ([]pair, error) {
	if on == "" {
		return pairs, nil
	}
	var chosen []pair
	for name := range strings.SplitSeq(on, ",") {
		i := slices.IndexFunc(pairs, func(p pair) bool { return p.flag == name })
		if i < 0 {
			return nil, fmt.Errorf("-on %s: there is sqlite, postgres and vault", name)
		}
		chosen = append(chosen, pairs[i])
	}
	return chosen, nil
}

// postgresSettings are those of the run's server: durable, as by default, with the
// memory and the housekeeping of a dedicated server.
var postgresSettings = map[string]string{
	"shared_buffers": "1GB", "effective_cache_size": "4GB", "autovacuum": "on", "max_wal_size": "8GB", "max_connections": "200",
}

// The servers of the run. They end with it, however it ends.
var (
	postgresServer = sync.OnceValues(func() (*postgrestest.Server, error) {
		// By TCP, as from another machine.
		return postgrestest.New(postgrestest.Options{Listen: "127.0.0.1", Settings: postgresSettings})
	})
	vaultServer = sync.OnceValues(vaultserver.New)
)

// engines are a world's engines.
type engines struct {
	url    string // of the PostgreSQL database; empty: SQLite's file
	file   string // of SQLite
	vault  vault.Engine
	env    []string // settings of servers that use them
	remove func(context.Context) error
}

// engines creates the database, filled, and the vault of a world.
func (b *bench) engines(ctx context.Context, data string, f fill) (e *engines, err error) {
	e = &engines{file: filepath.Join(data, "keyward.db"), remove: func(context.Context) error { return nil }}
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, err
	}
	if b.on.vault {
		err = b.remoteVault(ctx, e, data, f.caKey)
	} else {
		e.vault, err = embedded.Open(ctx, embedded.Options{
			Path: filepath.Join(data, "vault.db"), Seal: embedded.FileSeal(filepath.Join(data, "seal.key")),
			PublicBase: siteURL, CAKeyType: f.caKey,
		})
	}
	if err != nil {
		return nil, err
	}
	if !b.on.postgres {
		return e, storebench.Fill(ctx, e.file, f.rows)
	}
	return e, b.postgres(ctx, e, f.rows)
}

// postgres creates and fills a database on the run's server.
func (b *bench) postgres(ctx context.Context, e *engines, rows storebench.Size) error {
	if err := e.database(ctx); err != nil {
		return err
	}
	return storebench.FillPostgres(ctx, e.url, rows)
}

// database creates an empty one on the run's server.
func (e *engines) database(ctx context.Context) error {
	server, err := postgresServer()
	if err != nil {
		return err
	}
	name := "bench_" + strings.ToLower(rand.Text())
	if err := server.Run(ctx, "CREATE DATABASE "+name); err != nil {
		return err
	}
	e.remove = func(ctx context.Context) error { return server.Run(ctx, "DROP DATABASE "+name+" WITH (FORCE)") }
	e.url = server.URLAt(server.Address(), name)
	e.env = append(e.env, "DATABASE_URL="+e.url)
	return nil
}

// remoteVault prepares mounts on the run's Vault, as keyward vault setup does, and an
// AppRole for the servers.
func (b *bench) remoteVault(ctx context.Context, e *engines, data string, caKey piv.KeyType) (err error) {
	server, err := vaultServer()
	if err != nil {
		return err
	}
	o := server.Operator()
	o.PublicBase = siteURL
	setup, err := remote.NewSetup(ctx, o, remote.Preparation{CAKeyType: caKey, Profiles: vaultserver.Profiles})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, setup.Close()) }()
	items, err := setup.Examine(ctx)
	for _, item := range items {
		err = errors.Join(err, item.Apply(ctx))
	}
	if err != nil {
		return err
	}
	ids := map[string]string{}
	for name, call := range map[string]struct{ method, path string }{
		"role_id": {http.MethodGet, "role-id"}, "secret_id": {http.MethodPost, "secret-id"},
	} {
		said, err := server.Do(ctx, call.method, "auth/approle/role/"+o.Mounts.Role+"/"+call.path, map[string]any{})
		if err != nil {
			return err
		}
		ids[name], _ = said[name].(string)
	}
	o.Token, o.Login.RoleID, o.Login.SecretID = nil, secret.Fixed(ids["role_id"]), secret.Fixed(ids["secret_id"])
	o.Logger = slog.New(slog.DiscardHandler)
	file := filepath.Join(data, "vault.pem")
	if err := os.WriteFile(file, o.CACert, 0o600); err != nil {
		return err
	}
	for name, value := range map[string]string{
		"VAULT_ADDR": o.Address, "VAULT_CACERT": file, "VAULT_KV_MOUNT": o.Mounts.KV, "VAULT_PKI_MOUNT": o.Mounts.PKI,
		"VAULT_ROLE": o.Mounts.Role, "VAULT_ROLE_ID": ids["role_id"], "VAULT_SECRET_ID": ids["secret_id"],
	} {
		e.env = append(e.env, name+"="+value)
	}
	e.vault, err = remote.Open(ctx, o)
	return err
}

// open opens the database.
func (e *engines) open(ctx context.Context) (*store.DB, error) {
	if e.url != "" {
		return store.OpenPostgres(ctx, store.Server{URL: secret.New(e.url)}, store.Options{})
	}
	return store.OpenSQLite(ctx, e.file, store.Options{})
}
