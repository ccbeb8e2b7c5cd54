package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/secret"
)

// Headers of a message (Standard Webhooks, "Webhook Headers").
const (
	HeaderID        = "webhook-id"
	HeaderTimestamp = "webhook-timestamp"
	HeaderSignature = "webhook-signature"
)

const (
	secretPrefix = "whsec_"
	secretBytes  = 32 // Standard Webhooks: 24 to 64
)

// newSecret returns a signing secret: whsec_ and base64 of random bytes.
func newSecret() secret.String {
	key := make([]byte, secretBytes)
	_, _ = rand.Read(key) // never fails (package crypto/rand)
	return secret.New(secretPrefix + base64.StdEncoding.EncodeToString(key))
}

// newMessageID returns the id by which a receiver detects duplicates. It is
// random, so that an installation restored from a backup never reuses an id.
func newMessageID() string { return "msg_" + rand.Text() }

var errSecret = errors.New("webhook: the stored signing secret is not one")

// sign returns the signature of a message: HMAC-SHA256 over id, time of sending
// (seconds since 1970) and body, joined by dots.
func sign(s secret.String, id string, at time.Time, body []byte) (string, error) {
	text, ok := strings.CutPrefix(s.Reveal(), secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) == 0 {
		return "", errSecret
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp(at) + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}

func timestamp(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }

// message is the body, the same at every attempt.
type message struct {
	Type      audit.Action    `json:"type"`
	Timestamp time.Time       `json:"timestamp"` // of the event
	Data      json.RawMessage `json:"data"`      // the audit entry in the API's form
}

// Render encodes an audit entry in the API's form.
type Render func(audit.Entry) (json.RawMessage, error)

func (render Render) body(e audit.Entry) ([]byte, error) {
	data, err := render(e)
	if err != nil {
		return nil, err
	}
	return json.Marshal(message{Type: e.Action, Timestamp: e.At.UTC(), Data: data})
}
