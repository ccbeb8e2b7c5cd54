package web

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/fault"
)

// Routes below /downloads/, all public: a workstation needs the agent before
// anyone can do anything there.
//
//	/downloads/                  the list: Downloads
//	/downloads/NAME              a program
//	/downloads/policies/NAME     a browser policy, see browserpolicy.go
const (
	downloads = "/downloads/"
	policies  = downloads + "policies/"
)

// programName matches the names of files that are offered: nothing else ever
// leaves the folder. By default that is the server's own folder, where a log or
// a key of the agent may be, too. So the name must be that of a program, with
// or without a platform, or have the ending of an installer or an archive.
var programName = regexp.MustCompile(`^keyward-agent(` +
	`(([-_]v?[0-9]+(\.[0-9]+){0,3})?[-_](linux|darwin|macos|windows)([-_](amd64|x64|arm64|aarch64))?)?` + `|` +
	`([._+-][A-Za-z0-9._+-]{0,100})?\.(exe|msi|pkg|dmg|deb|rpm|zip|tar\.gz)` + `)$`)

// Downloads is the body of /downloads/.
type Downloads struct {
	Items []Download `json:"items"` // by name; empty when nothing is offered
}

// Download is a program of the agent.
type Download struct {
	Name      string `json:"name"`
	OS        string `json:"os"`   // linux, darwin or windows; empty: unknown
	Arch      string `json:"arch"` // amd64 or arm64; empty: unknown
	SizeBytes int64  `json:"size_bytes"`
	SHA256    string `json:"sha256"` // of the whole file, hex
}

// slowest is the time limit for sending a program.
const slowest = 15 * time.Minute

// shelf offers the programs of a folder.
type shelf struct {
	folder string

	inspect func(name string, file *os.File, info fs.FileInfo) (looked, error)

	mu    sync.Mutex
	known map[string]*place // by name
}

// shelfOf offers the programs of a folder; "" has none.
func shelfOf(folder string) *shelf {
	return &shelf{folder: folder, inspect: inspect, known: map[string]*place{}}
}

// place is a file's entry on the shelf. Its lock is held while the file is
// read, so that concurrent requests read it once, and requests for other files
// do not wait.
type place struct {
	mu sync.Mutex
	looked
}

// looked is what is known about a file until it changes.
type looked struct {
	Download
	modified time.Time
}

func (s *shelf) serve(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, downloads)
	root, err := os.OpenRoot(s.folder)
	if err != nil {
		s.without(w, r, name, err)
		return
	}
	defer root.Close()
	if name == "" {
		s.list(w, r, root)
		return
	}
	s.send(w, r, root, name)
}

// without answers when there is no folder, which counts as an empty one.
func (s *shelf) without(w http.ResponseWriter, r *http.Request, name string, err error) {
	switch {
	case s.folder != "" && !errors.Is(err, fs.ErrNotExist):
		refuse(w, err)
	case name == "":
		writeJSON(w, r, Downloads{Items: []Download{}})
	default:
		refuse(w, noSuchFile())
	}
}

func (s *shelf) list(w http.ResponseWriter, r *http.Request, root *os.Root) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		refuse(w, err)
		return
	}
	out := Downloads{Items: []Download{}}
	for _, e := range entries {
		f, err := s.open(root, e.Name())
		if err != nil {
			continue // not a program, or gone by now
		}
		_ = f.file.Close()
		out.Items = append(out.Items, f.Download)
	}
	slices.SortFunc(out.Items, func(a, b Download) int { return strings.Compare(a.Name, b.Name) })
	writeJSON(w, r, out)
}

func (s *shelf) send(w http.ResponseWriter, r *http.Request, root *os.Root, name string) {
	f, err := s.open(root, name)
	if err != nil {
		refuse(w, err)
		return
	}
	defer f.file.Close()
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("Cache-Control", "no-cache")
	h.Set("Etag", `"`+f.SHA256+`"`)
	// The server's own deadline is for small answers.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(slowest))
	http.ServeContent(w, r, "", f.modified, f.file)
}

type openProgram struct {
	looked
	file *os.File
}

// open opens a program. The root keeps symbolic links from leading out of the
// folder. The error is a not_found fault for what is not offered.
func (s *shelf) open(root *os.Root, name string) (openProgram, error) {
	if !programName.MatchString(name) {
		return openProgram{}, noSuchFile()
	}
	// Opened only if it is a regular file: a pipe would block forever.
	if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() {
		return openProgram{}, noSuchFile()
	}
	file, err := root.Open(name)
	if err != nil {
		return openProgram{}, noSuchFile()
	}
	l, err := s.look(name, file)
	if err != nil {
		_ = file.Close()
		return openProgram{}, err
	}
	return openProgram{l, file}, nil
}

// look reads a file once, and again after each change.
func (s *shelf) look(name string, file *os.File) (looked, error) {
	info, err := file.Stat()
	if err != nil {
		return looked{}, err
	}
	p := s.place(name)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.SHA256 != "" && p.SizeBytes == info.Size() && p.modified.Equal(info.ModTime()) {
		return p.looked, nil
	}
	l, err := s.inspect(name, file, info)
	if err == nil {
		p.looked = l
	}
	return l, err
}

func (s *shelf) place(name string) *place {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.known[name]
	if !ok {
		p = &place{}
		s.known[name] = p
	}
	return p
}

func noSuchFile() error { return fault.New(fault.NotFound, "no_file", "There is no such file.") }

func writeJSON(w http.ResponseWriter, r *http.Request, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		refuse(w, err)
		return
	}
	body = append(body, '\n')
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}
