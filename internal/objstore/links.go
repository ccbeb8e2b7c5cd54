package objstore

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
)

// BlobPath is where the backend serves the objects of a store without URLs of its own.
const BlobPath = "/api/backup/blob"

// minSecret is the minimum length of the links' key: that of HMAC-SHA256's output
// (RFC 2104, section 3).
const minSecret = 32

// Links signs and verifies links to BlobPath: HMAC-SHA256 over maker, expiry and key.
type Links struct {
	base string
	key  secret.String
}

// NewLinks returns Links for a site, such as https://keys.example.org, with a secret
// of at least 32 bytes.
func NewLinks(site string, key secret.String) (Links, error) {
	if u, err := url.Parse(site); err != nil || u.Host == "" || len(key.Reveal()) < minSecret {
		return Links{}, fmt.Errorf("%w: links need an absolute URL of the site, and a secret of %d bytes", ErrInvalid, minSecret)
	}
	return Links{strings.TrimRight(site, "/"), key}, nil
}

// Sign returns a link to a key, valid until a time. It names the account that requested it.
func (l Links) Sign(key string, maker int64, until time.Time) Link {
	until = until.UTC().Truncate(time.Second)
	expires := strconv.FormatInt(until.Unix(), 10)
	by := strconv.FormatInt(maker, 10)
	q := url.Values{"key": {key}, "maker": {by}, "expires": {expires},
		"signature": {base64.RawURLEncoding.EncodeToString(l.sum(by, expires, key))}}
	return Link{l.base + BlobPath + "?" + q.Encode(), until}
}

// Verify checks the query of a link from Sign, and returns its key and maker. It
// rejects queries with other parameters.
func (l Links) Verify(q url.Values, now time.Time) (key string, maker int64, err error) {
	by, expires, key := q.Get("maker"), q.Get("expires"), q.Get("key")
	given, bad := base64.RawURLEncoding.Strict().DecodeString(q.Get("signature"))
	at, unread := strconv.ParseInt(expires, 10, 64)
	maker, unnamed := strconv.ParseInt(by, 10, 64)
	for name, values := range q {
		if name != "maker" && name != "expires" && name != "key" && name != "signature" || len(values) != 1 {
			bad = ErrInvalid
		}
	}
	switch {
	case bad != nil || unread != nil || unnamed != nil || len(l.key.Reveal()) < minSecret || !hmac.Equal(given, l.sum(by, expires, key)):
		return "", 0, fault.New(fault.PermissionDenied, "blob_link_invalid", "This download link is invalid or "+
			"incomplete. Get a new one from the list of backups.").With(ErrInvalid)
	case !now.Before(time.Unix(at, 0)):
		return "", 0, fault.New(fault.PermissionDenied, "blob_link_ended", "This download link has expired. Get a "+
			"new one from the list of backups.").With(ErrInvalid)
	}
	return key, maker, nil
}

// sum signs an unambiguous text: lines of digits, and the key.
func (l Links) sum(maker, expires, key string) []byte {
	mac := hmac.New(sha256.New, []byte(l.key.Reveal()))
	mac.Write([]byte("keyward backup blob 2\n" + maker + "\n" + expires + "\n" + key))
	return mac.Sum(nil)
}
