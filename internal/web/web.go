// Package web serves Keyward to browsers: everything outside /api and /health.
// It keeps no state.
//
// The pages are built from ui/ into dist/ and embedded; a program built without
// them serves one page that says so (placeholder/).
//
// Routes, GET and HEAD only:
//
//	/assets/…            the build's files with a hash in their name: cached forever
//	/favicon.svg, …      its other files: revalidated each time
//	/downloads/…         the agent's programs and browser policies, see downloads.go
//	anything else        the page, built anew for each answer; its own router
//	                     decides what to show. Unknown addresses (routes.go) get it
//	                     with status 404; addresses like that of a file: a plain 404.
package web

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/problem"
)

// dist holds the built UI, placeholder the page that stands in for it.
//
//go:embed all:dist placeholder
var built embed.FS

// Options configure the pages and the downloads.
type Options struct {
	// AgentURL is where the agent of each workstation listens, an http URL on
	// loopback: the page learns it, and may connect only there.
	AgentURL string
	// SiteURL is the origin that people use. An https one turns on Strict-Transport-Security.
	SiteURL string
	// Downloads is the folder with the agent's programs to offer, selected by
	// name. Empty, or a missing folder: none.
	Downloads string
}

// Handler serves the pages. It fails when the embedded files cannot be served.
func Handler(o Options) (http.Handler, error) {
	root := "dist"
	if _, err := fs.Stat(built, "dist/index.html"); err != nil {
		root = "placeholder"
	}
	tree, err := fs.Sub(built, root)
	if err != nil {
		return nil, err
	}
	return newSite(tree, o)
}

type site struct {
	files    map[string]*file // by path
	page     *page
	headers  headers
	shelf    *shelf
	policies map[string]policyFile // by name
}

func newSite(tree fs.FS, o Options) (*site, error) {
	files, err := readFiles(tree)
	if err != nil {
		return nil, err
	}
	index, ok := files["/index.html"]
	if !ok {
		return nil, fmt.Errorf("web: there is no index.html")
	}
	delete(files, "/index.html")
	p, err := newPage(index.plain.content, o.AgentURL)
	if err != nil {
		return nil, err
	}
	return &site{
		files: files, page: p, headers: newHeaders(o.SiteURL),
		shelf: shelfOf(o.Downloads), policies: browserPolicies(o.SiteURL),
	}, nil
}

// ServeHTTP answers one request.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.headers.set(w.Header())
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, fault.New(fault.MethodNotAllowed, "page", "A page can only be read. Use GET or HEAD."))
		return
	}
	at := r.URL.Path
	f, ok := s.files[at]
	switch {
	case ok:
		f.serve(w, r)
	case at == "/index.html", isPage(at):
		s.page.serve(w, r, http.StatusOK)
	case strings.HasPrefix(at, policies):
		s.servePolicy(w, r, strings.TrimPrefix(at, policies))
	case strings.HasPrefix(at, downloads):
		s.shelf.serve(w, r)
	case strings.HasPrefix(at, assets), path.Ext(at) != "": // a missing file must not look like a page
		refuse(w, noSuchFile())
	default:
		s.page.serve(w, r, http.StatusNotFound)
	}
}

func (s *site) servePolicy(w http.ResponseWriter, r *http.Request, name string) {
	f, ok := s.policies[name]
	if !ok {
		refuse(w, noSuchFile())
		return
	}
	f.serve(w, r)
}

// refuse answers with a problem document; the outer server has set the request id.
func refuse(w http.ResponseWriter, err error) {
	problem.From(err, w.Header().Get("X-Request-Id")).Write(w)
}
