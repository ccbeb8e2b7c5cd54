// Package web serves the browser's part of Keyward: everything outside /api.
// Until the UI is built, it is one page that says so.
//
// Routes: GET and HEAD of /, /style.css and every other path that names no
// file, which gets the page: the UI's own router decides what to show there.
package web

import (
	"embed"
	"fmt"
	"hash/fnv"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/problem"
)

// dist holds the built UI, placeholder the page that stands in for it in a
// program that was built without.
//
//go:embed all:dist placeholder
var built embed.FS

// policy allows what the page brings along and the agent on this machine;
// no inline script or style, no frame around it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self' http://127.0.0.1:* http://localhost:*; manifest-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".woff2": "font/woff2",
	".json": "application/json", ".webmanifest": "application/manifest+json", ".txt": "text/plain; charset=utf-8",
}

type file struct {
	content []byte
	etag    string
	media   string
	cache   string
}

// Handler serves the embedded files. That they can be served was settled when
// the program was built, and is tested.
func Handler() http.Handler {
	root := "dist"
	if _, err := fs.Stat(built, "dist/index.html"); err != nil {
		root = "placeholder"
	}
	tree, err := fs.Sub(built, root)
	if err != nil {
		panic(err)
	}
	h, err := handler(tree)
	if err != nil {
		panic(err)
	}
	return h
}

func handler(tree fs.FS) (http.Handler, error) {
	files := map[string]file{}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		content, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		media, ok := mediaTypes[path.Ext(name)]
		if !ok {
			return fmt.Errorf("web: %s has no known media type", name)
		}
		h := fnv.New64a()
		_, _ = h.Write(content)
		at := "/" + name
		files[at] = file{content, `"` + strconv.FormatUint(h.Sum64(), 16) + `"`, media, caching(at)}
		return nil
	})
	if err != nil {
		return nil, err
	}
	page, ok := files["/index.html"]
	if !ok {
		return nil, fmt.Errorf("web: there is no index.html")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := files[r.URL.Path]
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			refuse(w, fault.New(fault.MethodNotAllowed, "A page can only be read."))
		case ok:
			f.serve(w, r)
		case path.Ext(r.URL.Path) != "": // a missing file must not look like a page
			refuse(w, fault.New(fault.NotFound, "There is no such file."))
		default:
			page.serve(w, r)
		}
	}), nil
}

// caching: a file whose name holds its hash (the build puts those in /assets)
// never changes; anything else is asked for again each time.
func caching(at string) string {
	if strings.HasPrefix(at, "/assets/") {
		return "public, max-age=31536000, immutable"
	}
	return "no-cache"
}

func (f file) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", f.cache)
	h.Set("Etag", f.etag)
	for tag := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if strings.TrimPrefix(strings.TrimSpace(tag), "W/") == f.etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	h.Set("Content-Type", f.media)
	h.Set("Content-Length", strconv.Itoa(len(f.content)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(f.content)
	}
}

// refuse answers with a problem document; the server in front has made the
// request id.
func refuse(w http.ResponseWriter, err error) {
	problem.From(err, w.Header().Get("X-Request-Id")).Write(w)
}
