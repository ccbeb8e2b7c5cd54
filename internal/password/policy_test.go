package password_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/password"
	"github.com/keyward/keyward/internal/secret"
)

const (
	tooLong  = "must have 8 to 128 characters"
	lower    = "must contain a lowercase letter"
	upper    = "must contain an uppercase letter"
	digit    = "must contain a digit"
	symbol   = "must contain a symbol, punctuation mark or space"
	named    = "must not be the username or email, or that followed by a few digits or symbols"
	tried    = "is too common"
	controls = "must not contain control characters"
)

// every demands everything that a policy can demand.
func every() password.Policy {
	p := password.DefaultPolicy()
	p.RequireLowercase, p.RequireUppercase, p.RequireDigit, p.RequireSymbol = true, true, true, true
	return p
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	plain, all := password.DefaultPolicy(), every()
	lax := plain
	lax.RejectCommon = false
	for _, c := range []struct {
		name     string
		policy   password.Policy
		password string
		want     []string
	}{
		{"good", plain, "jdoe's password", nil},
		{"seven", plain, "qzx vkw", []string{tooLong}},
		{"eight", plain, "qzx vkwp", nil},
		{"eight characters of two bytes", plain, "éèêëàâäñ", nil},
		{"seven characters of two bytes", plain, "éèêëàâä", []string{tooLong}},
		{"eight code points, four characters", plain, "e\u0301e\u0300a\u0308n\u0303", []string{tooLong}},
		{"128", plain, strings.Repeat("x", 128), nil},
		{"129", plain, strings.Repeat("x", 129), []string{tooLong}},
		{"128 composed of 256", plain, strings.Repeat("e\u0301", 128), nil},
		{"empty", plain, "", []string{tooLong}},
		{"the username", plain, "JohnathanD", []string{named}},
		{"the username with a tail", plain, "johnathand2026", []string{named}},
		{"the username with the longest tail", plain, "johnathand-2026", []string{named}},
		{"the username with a longer one", plain, "johnathand-82641", nil},
		{"the username in a sentence", plain, "johnathand likes cheese", nil},
		{"the email", plain, "J.Doe.Long@Example.org", []string{named}},
		{"the email's local part", plain, "j.doe.long", []string{named}},
		{"the local part with a tail", plain, "J.Doe.Long!1", []string{named}},
		{"common", plain, "password", []string{tried}},
		{"common in capitals", plain, "PassWord", []string{tried}},
		{"common with a tail", plain, "Password123!", []string{tried}},
		{"common with substitutions", plain, "P@$$w0rd", []string{tried}},
		{"1 for i", plain, "1l0vey0u", []string{tried}},
		{"1 for l", plain, "we1come1", []string{tried}},
		{"a common word that ends in digits, and more of them", plain, "abc12345!", []string{tried}},
		{"six digits are no tail", plain, "zebra-zebra123456", nil},
		{"the service's name", plain, "Keyward2026", []string{tried}},
		{"digits in a row", plain, "123456789", []string{tried}},
		{"common inside", plain, "my password is long", nil},
		{"a long tail is worth something", plain, "monkey-82641-97350", nil},
		{"common is allowed", lax, "password", nil},
		{"too short and common", plain, "dragon", []string{tooLong, tried}},
		{"control character", plain, "good\tpassphrase", []string{controls}},
		{"zero byte", plain, "good\x00passphrase", []string{controls}},
		{"not UTF-8", plain, "good passphrase\xff", []string{"is not valid UTF-8"}},
		{"all classes", all, "Vqz-7xkw", nil},
		{"none of the classes", all, "漢字漢字漢字漢字", []string{lower, upper, digit, symbol}},
		{"classes of other scripts", all, "Ψλκ٣«ждщ", nil},
		{"a space is a symbol", all, "Vqz 7xkw", nil},
		{"title case is upper", all, "ǅ-7xkwqz", nil},
		{"everything at once", all, "abc", []string{tooLong, upper, digit, symbol}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := c.policy.Check("new_password", secret.New(c.password), "johnathand", "j.doe.long@example.org")
			if c.want == nil {
				if err != nil {
					t.Fatalf("refused: %v", err)
				}
				return
			}
			f, ok := fault.As(err)
			if !ok || f.Code != fault.PasswordPolicy {
				t.Fatalf("got %v, want a refusal by policy", err)
			}
			var got []string
			for _, field := range f.Fields {
				if field.Field != "new_password" {
					t.Errorf("field %q", field.Field)
				}
				got = append(got, field.Message)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("messages %q, want %q", got, c.want)
			}
			if len(c.password) > 3 && strings.Contains(err.Error(), c.password) && c.password != "password" {
				t.Error("the refusal shows the password")
			}
		})
	}
}

func TestMustDiffer(t *testing.T) {
	t.Parallel()
	composed, decomposed := secret.New("p\u00e9 p\u00e9 p\u00e9"), secret.New("pe\u0301 pe\u0301\u00a0pe\u0301")
	if err := password.MustDiffer("new_password", composed, decomposed); !fault.Is(err, fault.PasswordPolicy) {
		t.Errorf("the same password on another keyboard: %v", err)
	}
	if err := password.MustDiffer("new_password", composed, secret.New("pe pe pe")); err != nil {
		t.Error(err)
	}
}

func TestPolicyBounds(t *testing.T) {
	t.Parallel()
	if err := password.DefaultPolicy().Validate(); err != nil {
		t.Fatalf("the default: %v", err)
	}
	for _, c := range []struct {
		field       string
		set         func(*password.Policy, int)
		least, most int
	}{
		{"min_length", func(p *password.Policy, n int) { p.MinLength = n }, 8, 64},
		{"max_length", func(p *password.Policy, n int) { p.MaxLength = n }, 64, 128},
		{"max_age_days", func(p *password.Policy, n int) { p.MaxAgeDays = n }, 0, 3650},
		{"lockout_attempts", func(p *password.Policy, n int) { p.LockoutAttempts = n }, 1, 20},
		{"lockout_minutes", func(p *password.Policy, n int) { p.LockoutMinutes = n }, 1, 1440},
	} {
		for n, good := range map[int]bool{c.least - 1: false, c.least: true, c.most: true, c.most + 1: false} {
			p := password.DefaultPolicy()
			c.set(&p, n)
			err := p.Validate()
			f, ok := fault.As(err)
			switch {
			case good && err != nil:
				t.Errorf("%s %d: %v", c.field, n, err)
			case !good && (!ok || f.Code != fault.InvalidRequest || len(f.Fields) != 1 || f.Fields[0].Field != c.field):
				t.Errorf("%s %d: %v", c.field, n, err)
			}
		}
	}
	f, _ := fault.As(password.Policy{}.Validate())
	if f == nil || len(f.Fields) != 4 {
		t.Errorf("the zero policy breaks four bounds: %v", f)
	}
}

func TestExpired(t *testing.T) {
	t.Parallel()
	changed := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	p := password.DefaultPolicy()
	if p.Expired(changed, changed.AddDate(100, 0, 0)) {
		t.Error("it expires though it never should")
	}
	p.MaxAgeDays = 30
	if p.Expired(changed, changed.AddDate(0, 0, 30).Add(-time.Second)) || !p.Expired(changed, changed.AddDate(0, 0, 30)) {
		t.Error("it must expire after exactly 30 days")
	}
}

// FuzzPolicy: whatever is typed, the check ends without a panic, says the same
// of every form of the same text, and lets nothing through that breaks a rule.
func FuzzPolicy(f *testing.F) {
	for _, s := range []string{"", "password", "P@$$w0rd!", "jdoe2026", "e\u0301e\u0300", "\xff",
		"漢字", strings.Repeat("a\u0301", 129), "ǅ-7xkwqz", "İİİİİİİİ"} {
		f.Add(s, "jdoe", "jdoe@example.org")
	}
	p := every()
	f.Fuzz(func(t *testing.T, text, username, email string) {
		err := p.Check("password", secret.New(text), username, email)
		normal := password.Normalize(secret.New(text))
		if again := p.Check("password", normal, username, email); (err == nil) != (again == nil) {
			t.Fatalf("%q: %v, normalized %v", text, err, again)
		}
		if !password.Normalize(normal).Equal(normal) {
			t.Fatalf("%q: normalizing twice is not normalizing once", text)
		}
		if err != nil {
			if f, ok := fault.As(err); !ok || f.Code != fault.PasswordPolicy || len(f.Fields) == 0 {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		n := len([]rune(normal.Reveal()))
		if n < 8 || n > 128 || strings.EqualFold(normal.Reveal(), username) || strings.EqualFold(normal.Reveal(), email) {
			t.Fatalf("%q was let through", text)
		}
	})
}

// TestNameWithDigits: digits of the name itself are not a tail.
func TestNameWithDigits(t *testing.T) {
	t.Parallel()
	p := password.DefaultPolicy()
	for text, refused := range map[string]bool{"svc-user1": true, "svc-user12345": true, "svc-user2345": false} {
		if err := p.Check("password", secret.New(text), "svc-user1", "x@example.org"); (err != nil) != refused {
			t.Errorf("%s: %v", text, err)
		}
	}
}
