package session

import (
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/fault"
)

// registration separates registrations from every other use of the secret.
const registration = "keyward agent registration 1"

// registrationKey derives a key (RFC 5869) from the access tokens' secret,
// which access to the database alone does not reveal.
func registrationKey(secret []byte) ([]byte, error) {
	return hkdf.Key(sha256.New, secret, nil, registration, sha256.Size)
}

// Vouch returns the Session.AgentKeyMAC of a key registered with this session
// of this person: the key's time in microseconds, a dot, and in hex the
// HMAC-SHA256 (RFC 2104) over everything the registration binds.
func (s *Signer) Vouch(ctx context.Context, sessionID, userID int64, key AgentKey) (string, error) {
	k, err := s.key(ctx)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, k.registrations)
	at := strconv.FormatInt(key.At.UnixMicro(), 10)
	for _, part := range []string{
		registration, strconv.FormatInt(sessionID, 10), strconv.FormatInt(userID, 10), key.Fingerprint, at,
	} {
		mac.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		mac.Write([]byte(part))
	}
	return at + "." + hex.EncodeToString(mac.Sum(nil)), nil
}

// vouches reports whether Keyward itself wrote the session's agent key.
func (s *Signer) vouches(ctx context.Context, sess Session) (bool, error) {
	text, _, _ := strings.Cut(sess.AgentKeyMAC, ".")
	at, _ := strconv.ParseInt(text, 10, 64) // the MAC of a malformed number cannot match
	key := AgentKey{Fingerprint: sess.AgentKeyFingerprint, At: time.UnixMicro(at)}
	want, err := s.Vouch(ctx, sess.ID, sess.UserID, key)
	return err == nil && hmac.Equal([]byte(want), []byte(sess.AgentKeyMAC)), err
}

// shown returns a session for display, without an agent key that was not
// registered with it or cannot be verified now.
func (s *Service) shown(ctx context.Context, sess Session) Session {
	if sess.AgentPublicKey == "" {
		return sess
	}
	if ok, err := s.Signer.vouches(ctx, sess); err != nil || !ok {
		sess.AgentPublicKey, sess.AgentKeyFingerprint, sess.AgentKeyMAC = "", "", ""
	}
	return sess
}

// unvouched returns the error for a session whose agent key was written to the
// database directly.
func (s *Service) unvouched(ctx context.Context, sess Session) error {
	s.Log.WarnContext(ctx, "the agent key in a session's row was not registered with it: somebody changed the database",
		"session_id", sess.ID, "user_id", sess.UserID, "found", sess.AgentKeyFingerprint)
	return errForeignAgent
}

// errForeignAgent is audited as a refusal.
var errForeignAgent = fault.New(fault.AgentNotRegistered, "agent_key_foreign",
	"The agent key in the database was not registered with your session. Register your agent again. "+
		"If this happens again, tell an administrator: the server's log has the key's fingerprint.")
