package webhook

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/secret"
)

// TestSignVector is the example from the tests of the Standard Webhooks libraries.
func TestSignVector(t *testing.T) {
	t.Parallel()
	got, err := sign(secret.New("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), "msg_p5jXN8AQM9LWM0D4loKWxJek",
		time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestNewSecret(t *testing.T) {
	t.Parallel()
	s := newSecret()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(s.Reveal(), "whsec_"))
	if err != nil || len(key) != secretBytes || s.Equal(newSecret()) {
		t.Errorf("%d bytes, %v", len(key), err)
	}
	for _, text := range []string{"", "whsec_", "whsec_!", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"} {
		if usable(secret.New(text)) {
			t.Errorf("%q can sign", text)
		}
	}
}

func TestPause(t *testing.T) {
	t.Parallel()
	low, high := func() float64 { return 0 }, func() float64 { return 1 }
	for i, base := range retries {
		least, ok1 := pause(i+1, low)
		most, ok2 := pause(i+1, high)
		if !ok1 || !ok2 || least != base*8/10 || most != base*12/10 {
			t.Errorf("after %d attempts: %v to %v, want %v give or take a fifth", i+1, least, most, base)
		}
	}
	for _, n := range []int{-1, 0, MaxAttempts, MaxAttempts + 1} {
		if d, ok := pause(n, low); ok {
			t.Errorf("after %d attempts: %v, want none", n, d)
		}
	}
}

func TestGets(t *testing.T) {
	t.Parallel()
	one, two := int64(1), int64(2)
	entry := func(id int64, org *int64, action audit.Action) audit.Entry {
		return audit.Entry{ID: id, OrganizationID: org, Action: action}
	}
	for name, c := range map[string]struct {
		target Target
		entry  audit.Entry
		want   bool
	}{
		"all of all":              {Target{}, entry(5, &one, "a.b"), true},
		"of nobody, for all":      {Target{}, entry(5, nil, "a.b"), true},
		"own":                     {Target{Webhook: Webhook{OrganizationID: &one}}, entry(5, &one, "a.b"), true},
		"of another":              {Target{Webhook: Webhook{OrganizationID: &one}}, entry(5, &two, "a.b"), false},
		"of nobody":               {Target{Webhook: Webhook{OrganizationID: &one}}, entry(5, nil, "a.b"), false},
		"from before":             {Target{After: 5}, entry(5, nil, "a.b"), false},
		"the first":               {Target{After: 4}, entry(5, nil, "a.b"), true},
		"muted":                   {Target{Muted: true}, entry(5, nil, "a.b"), false},
		"prefix":                  {Target{Webhook: Webhook{Actions: []string{"c.", "a."}}}, entry(5, nil, "a.b"), true},
		"whole":                   {Target{Webhook: Webhook{Actions: []string{"a.b"}}}, entry(5, nil, "a.b"), true},
		"whole is no prefix":      {Target{Webhook: Webhook{Actions: []string{"a.b"}}}, entry(5, nil, "a.bc"), false},
		"prefix of another noun":  {Target{Webhook: Webhook{Actions: []string{"a."}}}, entry(5, nil, "ab.c"), false},
		"another":                 {Target{Webhook: Webhook{Actions: []string{"a.c"}}}, entry(5, nil, "a.b"), false},
		"a renewal, unnamed":      {Target{}, entry(5, nil, audit.Refresh), false},
		"a renewal, by prefix":    {Target{Webhook: Webhook{Actions: []string{"auth."}}}, entry(5, nil, audit.Refresh), false},
		"a renewal, named":        {Target{Webhook: Webhook{Actions: []string{"auth.refresh"}}}, entry(5, nil, audit.Refresh), true},
		"own, but another action": {Target{Webhook: Webhook{OrganizationID: &one, Actions: []string{"c."}}}, entry(5, &one, "a.b"), false},
	} {
		if got := c.target.gets(c.entry); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestCheckActions(t *testing.T) {
	t.Parallel()
	got, err := checkActions([]string{"hwkey.", "auth.login", "hwkey."})
	if err != nil || strings.Join(got, " ") != "hwkey. auth.login" {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range []string{"", ".", "hwkey", "hwkey.*", "HWKEY.", "a.b.c", "a b.", "%.", strings.Repeat("a", 40) + "."} {
		if _, err := checkActions([]string{"hwkey.", bad}); err == nil || !strings.Contains(err.Error(), "actions[1]") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
