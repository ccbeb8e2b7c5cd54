package archive_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var when = time.Date(2026, 11, 22, 2, 0, 0, 0, time.UTC)

// memory is a file.
type memory struct{ bytes []byte }

func (m *memory) WriteAt(p []byte, at int64) (int, error) {
	if end := int(at) + len(p); end > len(m.bytes) {
		m.bytes = slices.Grow(m.bytes, end-len(m.bytes))[:end]
	}
	return copy(m.bytes[at:], p), nil
}

// quick is a key that costs nothing to derive.
func quick(password string) archive.Deriver {
	return func(salt []byte) []byte {
		key := sha256.Sum256(append([]byte(password), salt...))
		return key[:]
	}
}

// remembered is the real key of a password, derived once for each salt.
func remembered(password string) archive.Deriver {
	return func(salt []byte) []byte {
		known, _ := derived.LoadOrStore(password+"\x00"+string(salt), sync.OnceValue(func() []byte {
			return archive.TypedPassword(secret.New(password)).Derive(salt)
		}))
		return slices.Clone(known.(func() []byte)()) // the user wipes it
	}
}

var derived sync.Map

// content is the content of a backup.
type content struct {
	sql     string
	secrets map[string]string
}

// write creates a backup with a quick key.
func write(t must.T, h archive.Header, c content) []byte {
	t.Helper()
	file := &memory{}
	w := must.Get(archive.CreateWith(file, quick("right"), h, archive.MaxPayload))(t)
	if h.IncludesDB {
		must.Get(io.WriteString(w.Database(), c.sql))(t)
	}
	for path, data := range c.secrets {
		must.OK(t, w.Secret(path, vault.Data(data)))
	}
	must.Get(w.Close())(t)
	return file.bytes
}

func open(file []byte, key archive.Deriver) (*archive.Archive, error) {
	return archive.OpenWith(context.Background(), bytes.NewReader(file), int64(len(file)), key, archive.MaxPayload)
}

// read opens a backup and reads all of it.
func read(file []byte, key archive.Deriver) (*archive.Archive, content, error) {
	a, err := open(file, key)
	if err != nil {
		return nil, content{}, err
	}
	c := content{secrets: map[string]string{}}
	err = a.ReadDatabase(context.Background(), func(sql io.Reader) error {
		text, err := io.ReadAll(sql)
		c.sql = string(text)
		return err
	})
	if err != nil {
		return nil, content{}, err
	}
	err = a.ReadSecrets(context.Background(), func(path string, data vault.Data) error {
		c.secrets[path] = string(data)
		return nil
	})
	return a, c, err
}

// same compares secrets as JSON, ignoring white space and order.
func same(t *testing.T, got, want map[string]string) bool {
	t.Helper()
	if len(got) != len(want) {
		return false
	}
	for path, data := range want {
		if !vault.Data(got[path]).Same(vault.Data(data)) {
			return false
		}
	}
	return true
}

// texts returns the members of a JSON object, each as written.
func texts(members map[string]json.RawMessage) map[string]string {
	out := map[string]string{}
	for name, text := range members {
		out[name] = string(text)
	}
	return out
}

const endless = math.MaxInt64
