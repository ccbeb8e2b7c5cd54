package license

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/keyward/keyward/internal/vault"
)

// Paths in the vault. Package vaultpart decides what a backup does with them.
const (
	installationPath = "license/installation"
	recordPath       = "license/record"
)

type installation struct {
	ID string `json:"id"`
}

// InstallationID implements Port. The first process to write an ID, by a write that
// only creates, wins; the others read that one.
func (s *Service) InstallationID(ctx context.Context) (string, error) {
	for tried := false; ; tried = true {
		var is installation
		v, err := s.Vault.Get(ctx, installationPath)
		switch {
		case err == nil:
			if v.Data.Decode(&is) != nil || is.ID == "" {
				return "", fmt.Errorf("the installation ID in the vault (%s) is malformed: restore an earlier version of it", installationPath)
			}
			return is.ID, nil
		case !errors.Is(err, vault.ErrNotFound):
			return "", vault.Fault(err)
		case tried:
			return "", deleted(installationPath)
		}
		is.ID = newInstallationID(primaryMAC(), hostname(), newUUID())
		data, err := vault.Encode(is)
		if err != nil {
			return "", err
		}
		if _, err = s.Vault.Put(ctx, installationPath, data, 0); err == nil {
			return is.ID, nil
		}
		if !errors.Is(err, vault.ErrCAS) {
			return "", vault.Fault(err)
		}
	}
}

func deleted(path string) error {
	return fmt.Errorf("data that the license needs was deleted from the vault (%s): undelete it, or destroy the path", path)
}

// newInstallationID returns the base64 SHA-256 of the primary MAC address, the hostname
// and a random UUID (specification, "License"), separated by zero bytes.
func newInstallationID(mac, host, uuid string) string {
	sum := sha256.Sum256([]byte(mac + "\x00" + host + "\x00" + uuid))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// primaryMAC returns the address of the first network interface that has one, or "".
func primaryMAC() string {
	interfaces, err := net.Interfaces() // in index order
	if err != nil {
		return ""
	}
	for _, i := range interfaces {
		if i.Flags&net.FlagLoopback == 0 && len(bytes.Trim(i.HardwareAddr, "\x00")) > 0 {
			return i.HardwareAddr.String()
		}
	}
	return ""
}

func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}

// newUUID returns a random UUID (RFC 9562, version 4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
