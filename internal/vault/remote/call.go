package remote

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/tracing"
	"github.com/keyward/keyward/internal/vault"
)

// Limits of an answer, in bytes. A list of certificates takes some 60 per line, a CRL some 40 per
// entry.
const (
	maxAnswer = 256 << 20
	maxError  = 300 // of an error's text that goes to the log
)

// call is one request. Its path is below /v1/, escaped where needed.
type call struct {
	method, path string
	body         any           // nil: none; jsontext.Value: as it is
	token        secret.String // empty: none
	root         bool          // in the root namespace, whatever is set
	long         bool          // may take the options' patience
}

// answer is a response with its whole body.
type answer struct {
	status int
	body   []byte
}

// wire sends calls, each once.
type wire struct {
	http      *http.Client
	address   string
	namespace string
}

// client sends calls through a transport.
func client(t *http.Transport) *http.Client {
	return &http.Client{Transport: tracing.Transport{Next: t, To: "vault"}, CheckRedirect: stay}
}

// send returns the answer of any status; its error is about the transport.
func (w *wire) send(ctx context.Context, c call) (answer, error) {
	var body io.Reader
	if c.body != nil {
		raw, ok := c.body.(jsontext.Value)
		if !ok {
			var err error
			if raw, err = json.Marshal(c.body); err != nil {
				return answer{}, fmt.Errorf("%w: the request cannot be written as JSON", vault.ErrInvalid)
			}
		}
		body = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(ctx, c.method, w.address+"/v1/"+c.path, body)
	if err != nil {
		return answer{}, fmt.Errorf("%w: the request cannot be made", vault.ErrInvalid)
	}
	r.Header.Set("X-Vault-Request", "true") // the vault's agent may demand it against forged requests
	if !c.token.Empty() {
		r.Header.Set("X-Vault-Token", c.token.Reveal())
	}
	if w.namespace != "" && !c.root {
		r.Header.Set("X-Vault-Namespace", w.namespace)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
		if c.method == http.MethodPatch { // RFC 7396
			r.Header.Set("Content-Type", "application/merge-patch+json")
		}
	}
	res, err := w.http.Do(r)
	if err != nil {
		return answer{}, lost(err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return answer{}, lost(err)
	}
	if len(raw) > maxAnswer {
		return answer{}, fmt.Errorf("%w: an answer is longer than %d MiB", vault.ErrUnavailable, maxAnswer>>20)
	}
	return answer{res.StatusCode, raw}, nil
}

// lost is the error of a call without an answer. It omits the URL, which may hold a token's serial.
func lost(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	slow, timeout := errors.AsType[net.Error](err)
	if timeout && slow.Timeout() || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("%w: %w", vault.ErrSlow, err)
	}
	return fmt.Errorf("%w: %w", vault.ErrUnavailable, err)
}

// refusal is an answer other than success.
type refusal struct {
	status int
	texts  []string // what the vault says; never a value of ours
}

// Error quotes the vault.
func (r *refusal) Error() string {
	text := strings.Join(r.texts, "; ")
	if text == "" {
		text = "no reason given"
	}
	if len(text) > maxError {
		text = text[:maxError] + "…"
	}
	return fmt.Sprintf("the vault answers %d: %s", r.status, strings.ToValidUTF8(text, "?"))
}

func (r *refusal) says(part string) bool {
	for _, t := range r.texts {
		if strings.Contains(t, part) {
			return true
		}
	}
	return false
}

// judge returns the error of an answer other than success.
func (a answer) judge() error {
	if a.status >= 200 && a.status < 300 {
		return nil
	}
	r := &refusal{status: a.status}
	var said struct {
		Errors []string `json:"errors"`
	}
	if json.Unmarshal(a.body, &said) == nil {
		r.texts = said.Errors
	}
	return r.kind()
}

// kind wraps a refusal by its meaning to the port. The vault has no error codes, so within a status
// its texts decide; they are alike in HashiCorp Vault and OpenBao.
func (r *refusal) kind() error {
	of := vault.ErrUnavailable
	switch {
	case r.says("is sealed"):
		of = vault.ErrSealed
	case r.says("node not active"), r.says("standby"), r.status >= 300 && r.status < 400, // a redirect that was not followed
		r.status == 472, r.status == 473:
		of = vault.ErrStandby
	case r.status == http.StatusTooManyRequests: // by a quota
		of = vault.ErrBusy
	case r.status == http.StatusForbidden:
		of = vault.ErrDenied
	case r.status == http.StatusNotFound && len(r.texts) > 0: // a mount that exists gives no reason
		of = vault.ErrDenied
	case r.status == http.StatusNotFound:
		of = vault.ErrNotFound
	case r.says("Upgrading from non-versioned"): // a new mount, for a moment
	case r.status == http.StatusBadRequest, r.status == http.StatusRequestEntityTooLarge:
		of = vault.ErrInvalid
	}
	return fmt.Errorf("%w: %w", of, r)
}

// decode reads the data member of an answer.
func (a answer) decode(into any) error {
	var envelope struct {
		Data jsontext.Value `json:"data"`
	}
	if err := json.Unmarshal(a.body, &envelope); err != nil || json.Unmarshal(envelope.Data, into) != nil {
		return fmt.Errorf("%w: an answer of the vault is not of its form (is VAULT_ADDR a Vault or OpenBao?)", vault.ErrUnavailable)
	}
	return nil
}

// certificate reads the certificate of an answer.
func (a answer) certificate() (*x509.Certificate, error) {
	var said struct {
		Certificate string `json:"certificate"`
	}
	if err := a.decode(&said); err != nil {
		return nil, err
	}
	return parsePEM(said.Certificate)
}
