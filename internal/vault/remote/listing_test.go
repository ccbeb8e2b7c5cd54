package remote_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// TestListWithoutKeys: a Vault before 1.14 does not list which issuers have a key; a CA above that has none
// is no CA there, either.
func TestListWithoutKeys(t *testing.T) {
	t.Parallel()
	e, o := engine(t)
	asked := must.Get(e.NewCA(t.Context(), vault.NewCA{KeyType: "ec-p256", CommonName: "Below a root"}))(t)
	must.OK(t, e.InstallCA(t.Context(), asked.ID, vaulttest.NewRoot(t).Sign(t, asked.CSR)))
	want := must.Get(e.CAs(t.Context()))(t)

	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(o.CACert)
	proxy := httputil.NewSingleHostReverseProxy(must.Get(url.Parse(o.Address))(t))
	proxy.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	key := regexp.MustCompile(`"key_id":"[^"]*",?`)
	proxy.ModifyResponse = func(r *http.Response) error {
		if !strings.HasSuffix(r.Request.URL.Path, "/issuers") {
			return nil
		}
		raw, err := io.ReadAll(r.Body)
		raw = key.ReplaceAll(raw, nil)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
		r.Header.Del("Content-Length")
		return err
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	old := o
	old.Address, old.CACert = server.URL, nil
	if diff := cmp.Diff(want, must.Get(open(t, old).CAs(t.Context()))(t)); diff != "" {
		t.Errorf("CAs: %s", diff)
	}
	vaultserver.Shared(t).Call(t, http.MethodPost, "sys/policies/acl/"+o.Mounts.Role, map[string]string{"policy": earlierPolicy(o.Mounts)})
	if all := must.Get(open(t, old).CAs(t.Context()))(t); len(all) != 1 || !all[0].First || all[0].ID != want[0].ID {
		t.Errorf("with an earlier policy: %+v", all)
	}
}
