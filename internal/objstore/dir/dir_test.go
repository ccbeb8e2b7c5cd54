package dir_test

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/objstore/dir"
	"github.com/keyward/keyward/internal/objstore/objstoretest"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/must"
)

func links(t testing.TB) objstore.Links {
	t.Helper()
	return must.Get(objstore.NewLinks("https://keys.example.org", secret.New(strings.Repeat("k", 32))))(t)
}

func open(t testing.TB, at, prefix string) *dir.Store {
	t.Helper()
	return must.Get(dir.New(dir.Options{Path: at, Prefix: prefix, Links: links(t)}))(t)
}

func TestConformance(t *testing.T) {
	t.Parallel()
	objstoretest.Run(t, func(t *testing.T) objstoretest.Harness {
		at := filepath.Join(t.TempDir(), "made", "backups")
		return objstoretest.Harness{
			Open:  func(t *testing.T, prefix string) objstore.Store { return open(t, at, prefix) },
			Fetch: func(t *testing.T, link string) (int, []byte) { return fetch(t, open(t, at, ""), link) },
			Fill: func(t *testing.T, keys []string) {
				for _, key := range keys {
					must.OK(t, os.WriteFile(filepath.Join(at, key), nil, 0o600))
				}
			},
			Abandon: func(t *testing.T, key string) {
				folder := filepath.Join(at, filepath.FromSlash(path.Dir(key)))
				must.OK(t, os.MkdirAll(folder, 0o700))
				f := must.Get(os.CreateTemp(folder, ".new-"))(t)
				must.Get(f.WriteString("half"))(t)
				must.OK(t, f.Close())
			},
		}
	})
}

// fetch does what the backend does with a link.
func fetch(t *testing.T, s objstore.Store, link string) (int, []byte) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, link, nil)
	if r.URL.Path != objstore.BlobPath || r.URL.Host != "keys.example.org" {
		t.Errorf("the link is to %s%s", r.URL.Host, r.URL.Path)
	}
	key, _, err := links(t).Verify(r.URL.Query(), time.Now())
	if err != nil {
		return http.StatusForbidden, nil
	}
	content := must.Get(s.Open(t.Context(), key, 0, -1))(t)
	defer content.Close()
	return http.StatusOK, must.Get(io.ReadAll(content))(t)
}

const key = "backup-full-20260329-000001.enc"

func TestOwnerAlone(t *testing.T) {
	t.Parallel()
	at := filepath.Join(t.TempDir(), "backups")
	s := open(t, at, "a/")
	must.Get(s.Put(t.Context(), "a/"+key, strings.NewReader("content")))(t)
	for name, mode := range map[string]fs.FileMode{"": fs.ModeDir | 0o700, "a": fs.ModeDir | 0o700, "a/" + key: 0o600} {
		if info := must.Get(os.Lstat(filepath.Join(at, name)))(t); info.Mode() != mode {
			t.Errorf("%q has mode %v", name, info.Mode())
		}
	}
}

// Anything but a regular file inside the directory is not served, and nothing leads out.
func TestNothingLeadsOut(t *testing.T) {
	t.Parallel()
	at, outside := t.TempDir(), t.TempDir()
	s := open(t, at, "")
	must.OK(t, os.WriteFile(filepath.Join(outside, key), []byte("private"), 0o600))
	must.OK(t, os.Symlink(filepath.Join(outside, key), filepath.Join(at, key)))
	must.OK(t, os.Symlink(outside, filepath.Join(at, "way")))
	must.OK(t, os.Mkdir(filepath.Join(at, "backup-vault-20260329-000001.enc"), 0o700))
	for _, name := range []string{key, "way/" + key, "backup-vault-20260329-000001.enc"} {
		if r, err := s.Open(t.Context(), name, 0, -1); err == nil {
			t.Errorf("%q is served", name)
			_ = r.Close()
		}
		if err := s.Delete(t.Context(), name); err != nil && fault.CodeOf(err) == fault.Internal {
			t.Errorf("delete %q: %v", name, err)
		}
	}
	if _, err := s.Put(t.Context(), "way/new.json", strings.NewReader("x")); err == nil {
		t.Error("a file was written outside")
	}
	if all, total, err := objstore.Newest(t.Context(), s, 10, ""); total != 0 || err != nil {
		t.Errorf("listed: %+v, %v", all, err)
	}
	left := must.Get(os.ReadDir(outside))(t)
	if len(left) != 1 || left[0].Name() != key {
		t.Errorf("outside are %v", left)
	}
}

// Each fault of a directory says what to do.
func TestTroubles(t *testing.T) {
	t.Parallel()
	for reason, make := range map[string]func(t *testing.T, at string){
		"backup_directory_missing": func(t *testing.T, at string) { must.OK(t, os.Remove(at)) },
		"backup_directory_file": func(t *testing.T, at string) {
			must.OK(t, os.WriteFile(filepath.Join(at, "folder"), nil, 0o600))
		},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			at := t.TempDir()
			s := open(t, at, "folder/")
			make(t, at)
			_, err := s.Put(t.Context(), "folder/"+key, strings.NewReader("x"))
			says(t, err, reason, objstore.ErrUnavailable)
			says(t, s.Each(t.Context(), nil), reason, objstore.ErrUnavailable)
			_, err = objstore.Probe(t.Context(), s)
			says(t, err, reason, objstore.ErrUnavailable)
		})
	}
	if _, err := dir.New(dir.Options{Path: "relative"}); !errors.Is(err, objstore.ErrInvalid) {
		t.Errorf("a relative path: %v", err)
	}
	if _, err := dir.New(dir.Options{Path: t.TempDir(), Prefix: "../up/"}); !errors.Is(err, objstore.ErrInvalid) {
		t.Errorf("a prefix that leads out: %v", err)
	}
}

func says(t *testing.T, err error, reason string, kind error) {
	t.Helper()
	if f, ok := fault.As(err); !ok || f.Code != fault.StorageUnavailable || f.Reason != reason || !errors.Is(err, kind) {
		t.Errorf("got %v, want the fault %s", err, reason)
	}
}
