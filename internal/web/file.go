package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// assets is where the build puts files with a hash in their name.
const assets = "/assets/"

var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".woff2": "font/woff2",
	".json": "application/json", ".webmanifest": "application/manifest+json", ".txt": "text/plain; charset=utf-8",
}

// file is one file of the build in all of its codings.
type file struct {
	media  string
	cache  string
	plain  variant
	coded  map[coding]variant // those that are smaller than plain
	hasAny []coding           // the keys of coded, best first
}

// variant is a file in one coding. Each has a different tag (RFC 9110, section
// 8.8.3.3), so that a cache never mixes them up.
type variant struct {
	content []byte
	etag    string
}

// readFiles reads a tree. A NAME.br or NAME.gz beside NAME is a coding of it,
// not a file of its own; names that begin with a dot are not served.
func readFiles(tree fs.FS) (map[string]*file, error) {
	files := map[string]*file{}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") || isCoded(tree, name) {
			return err
		}
		f, err := readFile(tree, name)
		if err == nil {
			files["/"+name] = f
		}
		return err
	})
	return files, err
}

func isCoded(tree fs.FS, name string) bool {
	for _, c := range codings {
		if base, ok := strings.CutSuffix(name, c.suffix); ok {
			if _, err := fs.Stat(tree, base); err == nil {
				return true
			}
		}
	}
	return false
}

func readFile(tree fs.FS, name string) (*file, error) {
	media, ok := mediaTypes[path.Ext(name)]
	if !ok {
		return nil, fmt.Errorf("web: %s has no known media type", name)
	}
	content, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	tag := hex.EncodeToString(sum[:12])
	f := &file{
		media: media, cache: "no-cache", coded: map[coding]variant{},
		plain: variant{content, `"` + tag + `"`},
	}
	if strings.HasPrefix("/"+name, assets) {
		f.cache = "public, max-age=31536000, immutable"
	}
	for _, c := range codings {
		coded, err := fs.ReadFile(tree, name+c.suffix)
		if err != nil || len(coded) >= len(content) {
			continue
		}
		f.coded[c.name] = variant{coded, `"` + tag + "-" + string(c.name) + `"`}
		f.hasAny = append(f.hasAny, c.name)
	}
	return f, nil
}

func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	v := f.plain
	if len(f.hasAny) > 0 {
		h.Set("Vary", "Accept-Encoding")
		if c := choose(r.Header["Accept-Encoding"], f.hasAny); c != identity {
			h.Set("Content-Encoding", string(c))
			v = f.coded[c]
		}
	}
	h.Set("Cache-Control", f.cache)
	h.Set("Etag", v.etag)
	if matches(r.Header["If-None-Match"], v.etag) {
		h.Del("Content-Encoding") // there is no body
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", f.media)
	h.Set("Content-Length", strconv.Itoa(len(v.content)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(v.content)
	}
}

// matches is the weak comparison of If-None-Match (RFC 9110, section 13.1.2).
// None of our tags contains a comma.
func matches(header []string, etag string) bool {
	for _, line := range header {
		for tag := range strings.SplitSeq(line, ",") {
			tag = strings.TrimSpace(tag)
			if tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
				return true
			}
		}
	}
	return false
}
