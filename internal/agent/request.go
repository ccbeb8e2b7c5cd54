package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"

	"github.com/keyward/keyward/internal/fault"
)

type requestIDKey struct{}

// requestID is the id of the request that ctx belongs to.
func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

var wellFormedID = regexp.MustCompile(`^[0-9A-Za-z_-]{8,64}$`)

// identify gives every request an id and survives a handler's panic.
func identify(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(requestIDHeader)
		if !wellFormedID.MatchString(id) {
			id = rand.Text()
		}
		w.Header().Set(requestIDHeader, id)
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(p)
			}
			log.Error("a handler panicked", "request_id", id, "path", r.URL.Path, "stack", string(debug.Stack()))
			writeFault(w, fault.New(fault.Internal, ""))
		}()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id)))
	})
}

// routes are the paths and the method of each. They stand before the mux,
// whose own refusals are no problem documents and whose cleaning of paths is
// a redirect.
type routes map[string]string

func (rs routes) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method, ok := rs[r.URL.Path]
		switch {
		case !ok || r.URL.RawPath != "":
			writeFault(w, fault.New(fault.NotFound, "The agent has no such path."))
		case r.Method != method:
			w.Header().Set("Allow", method)
			writeFault(w, fault.Newf(fault.MethodNotAllowed, "use_method", "Use {method} for this path.", fault.Params{"method": method}))
		default:
			next.ServeHTTP(w, r)
		}
	})
}
