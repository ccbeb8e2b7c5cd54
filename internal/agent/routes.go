package agent

import (
	"net/http"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/middleware"
)

// routes maps each path to its method. It stands before the mux, which would refuse
// without a problem document, and redirect unclean paths.
type routes map[string]string

// before also checks that the body is declared as JSON, which other sites' forms
// cannot do without a preflight.
func (rs routes) before(body middleware.Body, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var err error
		method, ok := rs[r.URL.Path]
		switch {
		case !ok || r.URL.RawPath != "":
			err = fault.New(fault.NotFound, "no_path", "The agent has no such path.")
		case r.Method != method:
			w.Header().Set("Allow", method)
			err = fault.Newf(fault.MethodNotAllowed, "use_method", "Use {method} for this path.", fault.Params{"method": method})
		case method == http.MethodPost:
			err = body.Prepare(w, r)
		}
		if err != nil {
			middleware.From(r.Context()).Fail(err)
			return
		}
		next.ServeHTTP(w, r)
	})
}
