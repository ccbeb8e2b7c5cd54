package outbound_test

import (
	"crypto/tls"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/webhook"
	"github.com/keyward/keyward/internal/webhook/outbound"
	"github.com/keyward/keyward/test/must"
)

var loopback = webhook.Networks{netip.MustParsePrefix("127.0.0.0/8")}

// receiver starts a TLS server and a client that trusts it.
func receiver(
	t *testing.T, o outbound.Options, handler http.HandlerFunc, changes ...func(*httptest.Server),
) (*httptest.Server, *outbound.Client) {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	quiet(s)
	for _, change := range changes {
		change(s)
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	if o.CAFile == "" {
		o.CAFile = filepath.Join(t.TempDir(), "ca.pem")
		text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
		must.OK(t, os.WriteFile(o.CAFile, text, 0o600))
	}
	return s, client(t, o)
}

func client(t *testing.T, o outbound.Options) *outbound.Client {
	t.Helper()
	return must.Get(outbound.New(o))(t)
}

func post(t *testing.T, c *outbound.Client, url string) (int, webhook.Class) {
	t.Helper()
	return c.Post(t.Context(), webhook.Request{URL: url, Header: http.Header{"Webhook-Id": {"msg_1"}}, Body: []byte(`{"a":1}`)})
}

func want(t *testing.T, status int, class webhook.Class, wantStatus int, wantClass webhook.Class) {
	t.Helper()
	if status != wantStatus || class != wantClass {
		t.Errorf("got %d %q, want %d %q", status, class, wantStatus, wantClass)
	}
}

func TestPost(t *testing.T) {
	t.Parallel()
	seen := make(chan *http.Request, 1)
	s, c := receiver(t, outbound.Options{Allowed: loopback}, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != `{"a":1}` {
			t.Errorf("body %q, %v", body, err)
		}
		seen <- r
		w.WriteHeader(http.StatusAccepted)
	})
	status, class := post(t, c, s.URL+"/in?key=1")
	want(t, status, class, 202, "")
	r := <-seen
	if r.Method != http.MethodPost || r.RequestURI != "/in?key=1" || r.Header.Get("Webhook-Id") != "msg_1" ||
		r.Header.Get("User-Agent") == "" {
		t.Errorf("%s %s %v", r.Method, r.RequestURI, r.Header)
	}
	if r.TLS.Version < tls.VersionTLS12 || r.ContentLength != 7 {
		t.Errorf("TLS %x, length %d", r.TLS.Version, r.ContentLength)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	t.Cleanup(elsewhere.Close)
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		status  int
		class   webhook.Class
	}{
		"500": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, 500, ""},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, 307, ""},
		"hanging": {func(_ http.ResponseWriter, r *http.Request) { hang(r) }, 0, webhook.TimedOut},
		"closing": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 0, webhook.ConnectionLost},
		"too many headers": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) },
			0, webhook.ConnectionLost},
		"hanging after its status": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			hang(r)
		}, 200, ""},
		"endless": {func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}, 200, ""},
		"closing within its body": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("some"))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, 200, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := outbound.Options{Allowed: loopback, Timeout: time.Hour}
			if c.class == webhook.TimedOut {
				o.Timeout = 100 * time.Millisecond
			}
			s, client := receiver(t, o, c.handler)
			status, class := post(t, client, s.URL)
			want(t, status, class, c.status, c.class)
		})
	}
}

// hang waits until the client is gone, which the server notices once it has the
// whole request. It does not answer then: an answer might still reach the
// client before it closes the connection.
func hang(r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

func quiet(s *httptest.Server) { s.Config.ErrorLog = log.New(io.Discard, "", 0) }

func TestTLS(t *testing.T) {
	t.Parallel()
	never := func(http.ResponseWriter, *http.Request) { t.Error("a request arrived") }
	t.Run("unknown root", func(t *testing.T) {
		t.Parallel()
		s, _ := receiver(t, outbound.Options{Allowed: loopback}, never)
		status, class := post(t, client(t, outbound.Options{Allowed: loopback}), s.URL)
		want(t, status, class, 0, webhook.TLSFailed)
	})
	t.Run("another name", func(t *testing.T) {
		t.Parallel()
		s, c := receiver(t, outbound.Options{Allowed: loopback}, never)
		status, class := post(t, c, strings.Replace(s.URL, "127.0.0.1", "127.0.0.2", 1))
		want(t, status, class, 0, webhook.ConnectFailed)
		status, class = post(t, c, strings.Replace(s.URL, "127.0.0.1", "localhost", 1))
		want(t, status, class, 0, webhook.TLSFailed)
	})
	t.Run("TLS 1.1", func(t *testing.T) {
		t.Parallel()
		s, c := receiver(t, outbound.Options{Allowed: loopback}, never, func(s *httptest.Server) {
			s.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
		})
		status, class := post(t, c, s.URL)
		want(t, status, class, 0, webhook.TLSFailed)
	})
	t.Run("no TLS", func(t *testing.T) {
		t.Parallel()
		s := httptest.NewServer(http.HandlerFunc(never))
		t.Cleanup(s.Close)
		c := client(t, outbound.Options{Allowed: loopback})
		status, class := post(t, c, strings.Replace(s.URL, "http:", "https:", 1))
		want(t, status, class, 0, webhook.TLSFailed)
		status, class = post(t, c, s.URL)
		want(t, status, class, 0, webhook.URLInvalid)
	})
}

// TestAddresses: non-public addresses are never connected to, however they are reached.
func TestAddresses(t *testing.T) {
	t.Parallel()
	var connections atomic.Int32
	s, _ := receiver(t, outbound.Options{}, func(http.ResponseWriter, *http.Request) {}, func(s *httptest.Server) {
		s.Config.ConnState = func(net.Conn, http.ConnState) { connections.Add(1) }
	})
	_, port := must.Both(net.SplitHostPort(s.Listener.Addr().String()))(t)
	c := client(t, outbound.Options{Resolver: nameServer(t, map[string]string{
		"inside.example.": "127.0.0.1", "metadata.example.": "169.254.169.254", "office.example.": "10.1.2.3",
	})})
	for _, host := range []string{
		"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "0.0.0.0", "[::]",
		"inside.example", "metadata.example", "office.example", "INSIDE.example.", "[fe80::1%25lo]", "255.255.255.255", "224.0.0.1",
	} {
		if status, class := post(t, c, "https://"+host+":"+port+"/"); status != 0 || class != webhook.AddressRefused {
			t.Errorf("%s: got %d %q, want a refusal of the address", host, status, class)
		}
	}
	if n := connections.Load(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
	status, class := post(t, c, "https://nowhere.example/")
	want(t, status, class, 0, webhook.NameNotResolved)
}

func TestCAFile(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "ca.pem")
	must.OK(t, os.WriteFile(empty, []byte("no PEM"), 0o600))
	for _, path := range []string{empty, empty + ".missing"} {
		if _, err := outbound.New(outbound.Options{CAFile: path}); err == nil || !strings.Contains(err.Error(), "WEBHOOK_CA_FILE") {
			t.Errorf("got %v, want an error that names the setting", err)
		}
	}
}
