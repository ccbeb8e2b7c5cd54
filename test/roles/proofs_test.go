package roles

import (
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// signedIn requires an access token that works.
func signedIn(t *testing.T, c *fixture, d done) string {
	access, _ := d.answer.Body["access_token"].(string)
	if res := c.Call(t, "GET", "/api/auth/me", access, nil); res.Status != 200 || res.Body["username"] != "visitor" {
		return "the token does not work: " + res.Raw
	}
	return ""
}

func nobodyAnymore(t *testing.T, c *fixture, d done) string {
	if res := c.Call(t, "GET", "/api/auth/me", d.actor.token, nil); res.Status != 401 {
		return "the session lives on"
	}
	return ""
}

// passwordWorks signs {username} in; 403 means a password that must be changed.
func passwordWorks(pass string, status int) effect {
	return func(t *testing.T, c *fixture, d done) string {
		res := c.Call(t, "POST", "/api/auth/login", "", fields{"username": d.fill("{username}"), "password": d.fill(pass)})
		if res.Status != status {
			return fmt.Sprintf("signing in: %d %s, want %d", res.Status, res.Raw, status)
		}
		return ""
	}
}

func keyWorks(key string, status int) effect {
	return func(t *testing.T, c *fixture, d done) string {
		if res := c.Call(t, "GET", "/api/hwkey", d.fill(key), nil); res.Status != status {
			return fmt.Sprintf("with the key: %d %s, want %d", res.Status, res.Raw, status)
		}
		return ""
	}
}

// forgetsView requires that a view is no longer listed.
func forgetsView(t *testing.T, c *fixture, d done) string {
	if raw := c.Call(t, "GET", "/api/views", d.actor.token, nil).Raw; strings.Contains(raw, d.params["id"]) {
		return "the view is still there: " + raw
	}
	return ""
}

// isRead requires that a notice is no longer unread.
func isRead(t *testing.T, c *fixture, d done) string {
	d.seen = c.Call(t, "GET", "/api/notices?unread=true&limit=500", d.actor.token, nil)
	return lacks(`"id":{id},`)(t, c, d)
}

// knowsAgent requires the other agent's key in the session, and restores the usual one.
func knowsAgent(t *testing.T, c *fixture, d done) string {
	wrong := at("/api/session/{id}", tells(fields{"agent_registered": true, "agent_key_fingerprint": fingerprintOf(c.otherAgent)}))(t, c, d)
	if wrong == "" {
		c.registerAgent(t, d.actor, c.agent)
	}
	return wrong
}

// forgetsAgent requires that the agent is gone from the list and its key from the
// session.
func forgetsAgent(t *testing.T, c *fixture, d done) string {
	d.seen = c.Call(t, "GET", "/api/auth/agents?limit=500", d.actor.token, nil)
	return lacks(`"id":{id},`)(t, c, d)
}

// opens requires a PIN, sealed for the actor's agent and this token; the known one, if
// there is one.
func opens(name string) effect {
	return func(_ *testing.T, c *fixture, d done) string {
		pin, err := c.unseal(d.params["serial"], field(d.seen.Body, name))
		if want, ok := d.params["pin"]; err != nil || !eightDigits.MatchString(pin) || ok && pin != want {
			return fmt.Sprintf("%s opens to another PIN or none: %v", name, err)
		}
		return ""
	}
}

var eightDigits = regexp.MustCompile(`^[0-9]{8}$`)

// unseal decrypts what was released for the fixture's agent (contract §5, "Sealing").
func (c *fixture) unseal(serial string, sealed any) (string, error) {
	text, _ := sealed.(string)
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", err
	}
	pin, err := rsa.DecryptOAEP(sha256.New(), nil, c.agentKey, raw, []byte("keyward/1/"+serial+"/pin"))
	return string(pin), err
}

// keeps requires that a rotation has ended with a PIN, its next or the former.
func keeps(which string) effect {
	return func(t *testing.T, c *fixture, d done) string {
		d.params["pin"] = d.params[which]
		return at("/api/hwkey/{serial}/secrets?reason=look", every(opens("pin"), tells(fields{"pending": nil})))(t, c, d)
	}
}

func pending(want bool) effect {
	return at("/api/hwkey/{serial}", tells(fields{"secrets.rotation_pending": want}))
}

func parses(parse func(der []byte) error) effect {
	return func(_ *testing.T, _ *fixture, d done) string {
		if err := parse([]byte(d.answer.Raw)); err != nil {
			return err.Error()
		}
		return ""
	}
}

func readCertificate(text string) (*x509.Certificate, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("no PEM")
	}
	return x509.ParseCertificate(block.Bytes)
}

func isCA(text []byte) error {
	ca, err := readCertificate(string(text))
	if err == nil && !ca.IsCA {
		err = errors.New("no CA")
	}
	return err
}

// certifies requires a certificate of our CA for the owner, and its record.
func certifies(t *testing.T, c *fixture, d done) string {
	ca, err := readCertificate(c.Call(t, "GET", "/api/pki/ca_chain", "", nil).Raw)
	if err != nil {
		return err.Error()
	}
	cert, err := readCertificate(d.fill("{certificate}"))
	if err != nil {
		return err.Error()
	}
	if err := cert.CheckSignatureFrom(ca); err != nil || cert.Subject.CommonName != d.owner.name {
		return fmt.Sprintf("it is for %s: %v", cert.Subject.CommonName, err)
	}
	return at("/api/certificates/{serial_number}", tells(fields{"hwkey_serial": "{serial}", "status": "issued"}))(t, c, d)
}

// revoked requires the certificate on a published list.
func revoked(t *testing.T, c *fixture, d done) string {
	for _, ca := range c.Must(t, "GET", "/api/admin/cas", c.root().token, nil)["items"].([]any) {
		path, signs := ca.(map[string]any)["crl_path"].(string)
		if !signs {
			continue
		}
		list, err := x509.ParseRevocationList([]byte(c.Call(t, "GET", path, "", nil).Raw))
		if err != nil {
			return err.Error()
		}
		for _, e := range list.RevokedCertificateEntries {
			if fmt.Sprintf("%x", e.SerialNumber.Bytes()) == d.params["serial_number"] {
				return ""
			}
		}
	}
	return "it is not on the list"
}
