package signon

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"

	"github.com/keyward/keyward/internal/secret"
)

// wellFormed reports whether text has the form of secret.Random. Anything else,
// such as a hand-written cookie, counts as absent.
func wellFormed(text string) bool {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil && len(raw) == secret.RandomBytes
}

// derive computes a value that needs both the browser's secret and the state.
// Base64 of 32 bytes has 43 characters, the minimum for a PKCE verifier (RFC
// 7636, section 4.1).
func derive(browser secret.String, purpose, state string) string {
	mac := hmac.New(sha256.New, []byte(browser.Reveal()))
	_, _ = mac.Write([]byte("keyward/1/oidc-" + purpose + "\n" + state))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func round(browser secret.String, state string, reauthenticate bool) Round {
	return Round{
		State: state, Nonce: derive(browser, "nonce", state),
		Verifier: secret.New(derive(browser, "verifier", state)), Reauthenticate: reauthenticate,
	}
}
