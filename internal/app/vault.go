package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/keypair"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/textinput"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/internal/vault/remote"
)

// Names of the vault's engines, as reports show them.
const (
	embeddedVault = "embedded"
	remoteVault   = "vault" // HashiCorp Vault or OpenBao, which have the same API
)

func vaultEngine(cfg config.Config) string {
	if cfg.VaultAddr != "" {
		return remoteVault
	}
	return embeddedVault
}

// openVault opens the configured vault: a remote one, or the one in the data directory.
// The engine is nil only with an error.
func openVault(ctx context.Context, cfg config.Config, caKey secret.String, log *slog.Logger) (vault.Engine, error) {
	if cfg.VaultAddr != "" {
		if err := checkLeftover(cfg, vaultFile, "VAULT_ADDR"); err != nil {
			return nil, err
		}
		o, err := remoteOptions(cfg, log)
		if err != nil {
			return nil, err
		}
		engine, err := remote.Open(ctx, o)
		if err != nil {
			return nil, err
		}
		return engine, nil
	}
	if err := notMoved(cfg); err != nil {
		return nil, err
	}
	if err := checkEngineMarker(cfg, vaultFile, "VAULT_ADDR", func(was engineMarker) string { return was.Vault }); err != nil {
		return nil, err
	}
	engine, err := embedded.Open(ctx, embedded.Options{
		Path: filepath.Join(cfg.Data, vaultFile), Seal: seal(cfg), PublicBase: cfg.PKIBase(),
		OCSP: cfg.OCSP == "on", CRLValidity: cfg.CRLValidity,
		CAKeyType: piv.KeyType(cfg.CAKeyType), CACommonName: caCommonName, Role: role(cfg), ImportCA: caKey, Logger: log,
	})
	if err != nil {
		return nil, err
	}
	if err := notMoved(cfg); err != nil { // a move may have had the vault until now
		return nil, errors.Join(err, engine.Close())
	}
	return engine, nil
}

// caCommonName is the common name of a CA that Keyward creates.
const caCommonName = "Keyward Root CA"

func remoteOptions(cfg config.Config, log *slog.Logger) (remote.Options, error) {
	o := remote.Options{
		Address: cfg.VaultAddr, Namespace: cfg.VaultNamespace, PublicBase: cfg.PKIBase(), Logger: log, KeyTypes: role(cfg).KeyTypes,
		OCSP: cfg.OCSP == "on", CRLValidity: cfg.CRLValidity,
		Mounts: remote.Mounts{KV: cfg.VaultKVMount, PKI: cfg.VaultPKIMount, AppRole: cfg.VaultAppRoleMount, Role: cfg.VaultRole},
	}
	if !cfg.VaultToken.Empty() {
		o.Token = credential(cfg, "VAULT_TOKEN", cfg.VaultToken)
	} else if err := login(cfg, &o.Login, log); err != nil {
		return o, err
	}
	if cfg.VaultCACert != "" {
		var err error
		if o.CACert, err = textinput.ReadFile(cfg.VaultCACert); err != nil {
			return o, fmt.Errorf("VAULT_CACERT: %w", err)
		}
	}
	return o, nil
}

// login fills in what the auth method takes.
func login(cfg config.Config, l *remote.Login, log *slog.Logger) error {
	l.Method, l.Mount, l.Role = remote.Method(cfg.VaultAuthMethod), cfg.VaultAuthMount, cfg.VaultAuthRole
	switch l.Method {
	case remote.JWT, remote.Kubernetes:
		l.JWT = credential(cfg, "VAULT_JWT", cfg.VaultJWT)
	case remote.Cert:
		pair, err := keypair.Open(cfg.VaultClientCert, cfg.VaultClientKey, log)
		if err != nil {
			return fmt.Errorf("VAULT_CLIENT_CERT, VAULT_CLIENT_KEY: %w", err)
		}
		l.Certificate = pair.ForClient
	default:
		l.RoleID, l.SecretID = credential(cfg, "VAULT_ROLE_ID", cfg.VaultRoleID), credential(cfg, "VAULT_SECRET_ID", cfg.VaultSecretID)
	}
	return nil
}

// credential returns a secret's current value: a file may have changed since the start.
func credential(cfg config.Config, name string, atStart secret.String) func() (secret.String, error) {
	path, ok := cfg.Files[name]
	if !ok {
		return secret.Fixed(atStart.Reveal())
	}
	return func() (secret.String, error) {
		now, err := config.ReadSecret(path)
		if err != nil {
			return now, fmt.Errorf("%s_FILE: %w", name, err)
		}
		return now, nil
	}
}

// seal returns what wraps the vault's key: the configured passphrase or key, or else a
// file next to the database.
func seal(cfg config.Config) embedded.Seal {
	switch {
	case !cfg.SealPassphrase.Empty():
		return embedded.PassphraseSeal(credential(cfg, "VAULT_SEAL_PASSPHRASE", cfg.SealPassphrase))
	case !cfg.SealKey.Empty():
		return embedded.KeySeal(credential(cfg, "VAULT_SEAL_KEY", cfg.SealKey))
	default:
		return embedded.FileSeal(filepath.Join(cfg.Data, sealFile))
	}
}

// certificateLifetime is how long certificates last. On a remote vault, its role
// decides, as setup writes it.
func certificateLifetime(cfg config.Config) time.Duration {
	if cfg.VaultAddr != "" {
		return vault.DefaultRole().MaxTTL
	}
	return cfg.CertTTL
}

func role(cfg config.Config) vault.Role {
	r := vault.DefaultRole()
	r.KeyTypes, r.MaxTTL = nil, cfg.CertTTL
	for _, t := range cfg.KeyTypes {
		r.KeyTypes = append(r.KeyTypes, piv.KeyType(t))
	}
	return r
}

func importedCA(cfg config.Config) (secret.String, error) {
	if cfg.CAImportFile == "" {
		return secret.String{}, nil
	}
	raw, err := os.ReadFile(cfg.CAImportFile)
	if err != nil {
		return secret.String{}, fmt.Errorf("PKI_CA_IMPORT_FILE: %w", err)
	}
	return secret.New(string(raw)), nil
}
