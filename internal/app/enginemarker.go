package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/durable"
)

// engineMarkerFile marks a data directory whose server has its database or vault
// elsewhere. If those settings were lost, the server would otherwise create a new,
// empty installation here, and a balancer would still send it requests.
const engineMarkerFile = "elsewhere.json"

// engineMarker is its content. Nothing in it is secret.
type engineMarker struct {
	Database string `json:"database,omitempty"` // host and name
	Vault    string `json:"vault,omitempty"`    // address and mount
	Note     string `json:"note"`               // for anyone who finds it
}

const engineMarkerNote = "The server of this directory keeps nothing here. To start a new installation in it, remove this file."

// readEngineMarker returns zero when the directory has no such file.
func readEngineMarker(dir string) (was engineMarker, err error) {
	raw, err := os.ReadFile(filepath.Join(dir, engineMarkerFile))
	if errors.Is(err, fs.ErrNotExist) {
		return was, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &was)
	}
	if err != nil {
		return was, fmt.Errorf("%s in the data directory: %w (it says where the server's database and vault are)", engineMarkerFile, err)
	}
	return was, nil
}

// writeEngineMarker records where database and vault are. A directory that is not writable
// does not stop the server.
func writeEngineMarker(ctx context.Context, cfg config.Config, log *slog.Logger) {
	now := engineMarker{Note: engineMarkerNote}
	if !cfg.DatabaseURL.Empty() {
		now.Database = databaseServer(cfg).Place()
	}
	if cfg.VaultAddr != "" {
		now.Vault = vaultPlace(cfg)
	}
	if now.Database == "" && now.Vault == "" {
		return
	}
	was, err := readEngineMarker(cfg.Data)
	if err == nil && was == now {
		return
	}
	raw, err := json.MarshalIndent(now, "", "  ")
	if err == nil {
		err = durable.Replace(filepath.Join(cfg.Data, engineMarkerFile), append(raw, '\n'), 0o600)
	}
	if err != nil {
		log.WarnContext(ctx, "could not note in the data directory that the database and the vault are elsewhere", "error", err)
	}
}

// checkEngineMarker refuses to create an embedded engine's file in a directory whose server
// had that engine elsewhere.
func checkEngineMarker(cfg config.Config, file, setting string, of func(engineMarker) string) error {
	was, err := readEngineMarker(cfg.Data)
	if err != nil || of(was) == "" {
		return err
	}
	if _, err := os.Lstat(filepath.Join(cfg.Data, file)); err == nil {
		return nil // somebody put an installation of this machine here
	}
	return fmt.Errorf("%s is not set, but the server of this data directory used it (%s): set it again. To start a new "+
		"installation here, remove %s", setting, of(was), filepath.Join(cfg.Data, engineMarkerFile))
}

// noDatabase is the error of a command that finds no database file.
func noDatabase(cfg config.Config) error {
	was, err := readEngineMarker(cfg.Data)
	if err != nil {
		return err
	}
	if was.Database != "" {
		return fmt.Errorf("the server of %s has its database at %s: give this command DATABASE_URL or DATABASE_URL_FILE, too",
			cfg.Data, was.Database)
	}
	return fmt.Errorf("there is no %s in %s: give the server's data directory with --data, or DATABASE_URL if it uses PostgreSQL",
		databaseFile, cfg.Data)
}
