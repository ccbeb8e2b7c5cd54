package app_test

import (
	"fmt"
	"io"
	"mime/quotedprintable"
	"regexp"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/smtpserver"
)

// TestInvitationByMail: a server that signs in to the SMTP server with a password from
// its vault sends a link with which the person, and nobody else, chooses a password.
func TestInvitationByMail(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	post := smtpserver.Start(t)
	const password = "of the SMTP server"
	post.Be(t, smtpserver.Behaviour{User: "keyward", Password: password, RequireTLS: true})
	w.must(200, "PUT", "/api/admin/settings/mail", w.tokens["admin"], fields{
		"enabled": true, "host": smtpserver.Host, "port": post.Port, "security": "starttls", "username": "keyward", "password": password,
		"from": "keyward@example.org", "ca_pem": post.CAPEM,
	})
	made := w.must(201, "POST", "/api/admin/users", w.tokens["a-org_manager"], fields{"username": "invited", "email": "invited@example.org"})
	path := fmt.Sprintf("/api/admin/users/%v/invite", made["id"])
	in := w.must(200, "POST", path, w.tokens["a-org_manager"], nil)
	if in["mailed"] != true {
		t.Errorf("%v", in)
	}
	await.That(t, "the invitation is sent", func() bool { return len(post.Received(t)) == 1 })
	m := post.Received(t)[0]
	if len(m.To) != 1 || m.To[0] != "invited@example.org" || m.Helo != "localhost" {
		t.Errorf("it went to %q, from %q", m.To, m.Helo)
	}
	text := string(must.Get(io.ReadAll(quotedprintable.NewReader(strings.NewReader(m.Raw))))(t))
	link := regexp.MustCompile(`(https?://\S+)/invitation#token=([\w-]+)`).FindStringSubmatch(text)
	if link == nil || link[0] != in["url"] {
		t.Fatalf("the link is not %v in\n%s", in["url"], text)
	}
	w.must(200, "POST", "/api/auth/invitation", "", fields{"token": link[2], "password": "one of my own"})
	w.signIn("invited", "one of my own")
}
