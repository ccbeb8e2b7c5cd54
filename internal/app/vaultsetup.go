package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/keyward/keyward/internal/backup/vaultpart"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/loopback"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/profile"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/remote"
)

// VaultSetup holds the arguments of keyward vault setup.
type VaultSetup struct {
	Apply       bool   // otherwise it only shows what it would do
	Credentials string // directory for the AppRole's ids; empty: none are created
	SharedMount bool   // other programs may use the KV mount, which keeps its settings
}

// SetUpVault prepares a remote vault for Keyward, or shows what it lacks, with one line
// per item on out.
func SetUpVault(ctx context.Context, cfg config.Config, want VaultSetup, out io.Writer) (err error) {
	if want.Apply {
		if err := siteForVault(cfg); err != nil {
			return err
		}
	}
	o, err := remoteOptions(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	setup, err := remote.NewSetup(ctx, o, remote.Preparation{
		CAKeyType: piv.KeyType(cfg.CAKeyType), CACommonName: caCommonName, Credentials: remote.Credentials{Directory: want.Credentials},
		Ours: ourDocument, SharedMount: want.SharedMount, Profiles: profileRoles,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, setup.Close()) }()
	items, err := setup.Examine(ctx)
	if err != nil {
		return vaultTrouble(err, cfg)
	}
	fmt.Fprintf(out, "%s, for %s\n", cfg.VaultAddr, cfg.SiteURL)
	if loopback.Site(cfg.SiteURL) {
		fmt.Fprintln(out, "Certificates will permanently point to this computer: set SITE_URL first.")
	}
	lacking, refused := 0, false
	for _, item := range items {
		if item.Hopeless != nil {
			refused = true
			fmt.Fprintf(out, "  refused %s: %s: %v\n", item.Name, strings.Join(item.Lacks, "; "), item.Hopeless)
		}
	}
	if refused && want.Apply {
		return errors.New("nothing was changed: see the lines above")
	}
	for _, item := range items {
		switch {
		case item.Hopeless != nil:
			continue
		case len(item.Left) > 0:
			fmt.Fprintf(out, "  left    %s: %s\n", item.Name, strings.Join(item.Left, "; "))
			continue
		case len(item.Lacks) == 0:
			fmt.Fprintf(out, "  fine    %s\n", item.Name)
			continue
		}
		lacking++
		if !want.Apply {
			fmt.Fprintf(out, "  lacking %s: %s\n", item.Name, strings.Join(item.Lacks, "; "))
			continue
		}
		if err := item.Apply(ctx); err != nil {
			return fmt.Errorf("%s: %w", item.Name, vaultTrouble(err, cfg))
		}
		fmt.Fprintf(out, "  done    %s: %s\n", item.Name, strings.Join(item.Lacks, "; "))
	}
	switch {
	case refused:
		fmt.Fprintln(out, "Nothing was changed. What is refused must be settled first.")
	case lacking == 0:
		fmt.Fprintln(out, "Nothing to do.")
	case want.Apply:
		fmt.Fprintln(out, "The vault is ready for Keyward.")
	default:
		fmt.Fprintln(out, "Nothing was changed. Run it with --apply to make these changes.")
	}
	return nil
}

// profileRoles are the roles of all profiles, one for each algorithm, but the specification's own.
// PKI_KEY_TYPES doesn't count: it may differ where setup runs, and then needs no further setup.
func profileRoles(ctx context.Context, kv vault.KV) (roles []remote.ProfileRole, err error) {
	s := &profile.Service{Vault: kv, KeyTypes: profile.KeyTypes, MaxTTL: vault.DefaultRole().MaxTTL, Constant: true}
	list, err := s.List(ctx)
	for _, p := range list {
		if err := s.Check(p); err != nil && !p.Builtin {
			return nil, fmt.Errorf("a vault can't make certificates of the profile %s; change or delete it first: %w", p.Name, err)
		}
		for _, t := range p.Algorithms() {
			if !standardRole(p, t) {
				roles = append(roles, profileRole(p, t))
			}
		}
	}
	return roles, err
}

// standardRole reports whether the specification's role serves those keys.
func standardRole(p profile.Profile, t piv.KeyType) bool {
	return p.Name == profile.Default && t.Algorithm() == piv.RSA2048.Algorithm()
}

func profileRole(p profile.Profile, t piv.KeyType) remote.ProfileRole {
	return remote.ProfileRole{
		KeyType: t, Usage: p.Usage(t),
		Organization: p.Subject.Organization, OrganizationalUnit: p.Subject.OrganizationalUnit, Country: p.Subject.Country,
	}
}

// profileSetUp returns whether vault setup has made a profile's role for such keys as the profile is
// now: without it, a key would be made, and then get no certificate.
func profileSetUp(kv vault.KV) func(context.Context, profile.Profile, piv.KeyType) error {
	return func(ctx context.Context, p profile.Profile, t piv.KeyType) error {
		if standardRole(p, t) || p.Usage(t).Key == 0 { // there is none to make
			return nil
		}
		var made remote.Roles
		v, err := kv.Get(ctx, vault.RolesPath)
		if err == nil {
			err = v.Data.Decode(&made)
		}
		if err != nil && !errors.Is(err, vault.ErrNotFound) {
			return vault.Fault(err)
		}
		if made.Has(profileRole(p, t)) {
			return nil
		}
		return fault.Newf(fault.ProfileUnsupported, "profile_not_set_up",
			"The vault can't make certificates of the profile {profile} yet. Ask an administrator to run keyward vault setup.",
			fault.Params{"profile": p.Name})
	}
}

// ourDocument reports whether a document of the vault is Keyward's.
func ourDocument(path string) bool { return vaultpart.ClassOf(path) != vaultpart.Other }

// siteForVault refuses to write a loopback address into a remote vault: it would mean
// another machine to each server.
func siteForVault(cfg config.Config) error {
	if !loopback.Site(cfg.PKIBase()) || loopback.Site(cfg.VaultAddr) {
		return nil
	}
	setting := "SITE_URL"
	if cfg.PKIBaseURL != "" {
		setting = "PKI_BASE_URL"
	}
	return fmt.Errorf("%s is %s: certificates would permanently point to this computer, also those of a vault that "+
		"is already in use. Set it to the site's address, as on the servers", setting, cfg.PKIBase())
}

// vaultTrouble says how to solve a problem with a vault during its setup.
func vaultTrouble(err error, cfg config.Config) error {
	switch {
	case errors.Is(err, vault.ErrSealed):
		return fmt.Errorf("the vault %s is sealed: unseal it, then try again: %w", cfg.VaultAddr, err)
	case errors.Is(err, vault.ErrDenied):
		return fmt.Errorf("the vault %s denies access: VAULT_TOKEN must be an operator's token that may mount engines and "+
			"write policies, and that has not expired: %w", cfg.VaultAddr, err)
	case errors.Is(err, vault.ErrUnavailable):
		return fmt.Errorf("the vault %s is not responding as it should: make sure it is running, then try again: %w", cfg.VaultAddr, err)
	}
	return err
}
