package account

import (
	"context"
	"log/slog"
	"net/mail"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/password"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/textinput"
)

// Users is the domain's face to the edges.
type Users struct {
	Store         UserStore
	Organizations OrganizationDirectory
	Hasher        *password.Hasher
	Policies      password.Policies
	Publisher     Publisher
	Denials       *audit.Denials // records names that are taken outside the actor's scope
	// Grows, when not nil, is LicenseRestricted while no account may be added.
	Grows func(ctx context.Context) error
	// NameCounts, when not nil, reports whether certificates have people's names.
	NameCounts func(ctx context.Context) (bool, error)
	// MailOn reports whether messages go by mail; nil: they never do.
	MailOn      func(ctx context.Context) (bool, error)
	Invitations *Invitations // not nil where MailOn is not
	Log         *slog.Logger
	Now         func() time.Time
}

// NewUser is an account to create.
type NewUser struct {
	Username       string
	Email          string
	Name           string        // of the person; may be empty
	UPN, SID       string        // empty: none
	Password       secret.String // empty: the account waits for its invitation
	IsAdmin        *bool
	Role           access.Role // empty: user, or global_admin with IsAdmin
	OrganizationID *int64
	MustChange     *bool // require a new password at the first sign-in; nil: as the policy says
}

// Create creates an account. A manager creates users and managers of their own
// organization; a global admin any.
func (s *Users) Create(ctx context.Context, a access.Actor, scope access.Scope, in NewUser) (User, error) {
	in.Email = norm.NFC.String(strings.TrimSpace(in.Email))
	in.Username = norm.NFC.String(strings.TrimSpace(in.Username))
	in.Name = cleanName(in.Name)
	role, bad := resolveRole(in)
	bad = append(bad, checkNames(in)...)
	bad = append(bad, checkDirectory(&in.UPN, &in.SID)...)
	if len(bad) > 0 {
		return User{}, fault.Invalid(bad...)
	}
	switch {
	case a.APIKeyID != 0 && role != access.User:
		return User{}, keyGivesNoPower()
	case a.APIKeyID != 0 && !in.Password.Empty():
		return User{}, fault.New(fault.PermissionDenied, "api_key_password",
			"An API key creates accounts without a password. Leave it out, then have someone invite the person.")
	case len(in.leading(role)) > 0:
		if err := access.CheckEffects(ctx, s.Now(), in.leading(role)...); err != nil {
			return User{}, err
		}
		ctx = access.DemandRecent(ctx) // hashing a password may wait for its turn, so check again on writing
	}
	if role == access.GlobalAdmin && scope.Reach != access.Everything {
		return User{}, fault.New(fault.PermissionDenied, "global_admin_needed", "Only a global administrator can give this role. Ask one.")
	}
	organizationID, err := s.placeIn(ctx, a, scope, role, in)
	if err != nil {
		return User{}, err
	}
	if s.Grows != nil {
		if err := s.Grows(ctx); err != nil {
			return User{}, err
		}
	}
	now := s.Now()
	u := User{
		Username: in.Username, Name: in.Name, Email: in.Email, UPN: in.UPN, SID: in.SID, Role: role,
		OrganizationID: organizationID, IsActive: true, AuthSource: Local, CreatedAt: now, UpdatedAt: now, PasswordChangedAt: now,
	}
	if u.PasswordHash, u.MustChangePassword, err = s.firstPassword(ctx, in); err != nil {
		return User{}, err
	}
	details := "username " + u.Username + ", role " + string(role) + u.directoryNames()
	if u.PasswordHash == "" {
		details += ", waits for its invitation"
	}
	created, err := s.Store.InsertUser(ctx, u, audit.By(a, audit.UserCreated, "user", "", details).In(organizationID))
	if fault.Is(err, fault.Conflict) {
		if unheard := s.taken(ctx, a, scope, "create-user", u); unheard != nil {
			err = unheard
		}
	}
	return created, err
}

// taken records a denial when a requested name is taken outside the actor's scope.
func (s *Users) taken(ctx context.Context, a access.Actor, scope access.Scope, operation string, u User) error {
	names := slices.Compact([]string{u.Username, u.Email})
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = textinput.Fold(name)
	}
	logins, err := s.Store.LoginsAmong(ctx, keys, s.Now())
	if err != nil {
		return err
	}
	held, err := s.Store.DirectoryNamesAmong(ctx, directoryKeys(u.UPN, u.SID), s.Now())
	if err != nil {
		return err
	}
	for key, login := range held {
		_, name, _ := strings.Cut(key, ":")
		names, keys, logins[key] = append(names, name), append(keys, key), login
	}
	for i, name := range names {
		l, ok := logins[keys[i]]
		if !ok || !beyond(scope, l.User) {
			continue
		}
		if err := s.Denials.Beyond(ctx, a, operation, "user", name); err != nil {
			return err
		}
	}
	return nil
}

// beyond reports whether an account is outside a scope.
func beyond(scope access.Scope, u User) bool {
	return !scope.Allows(u.OrganizationID, &u.ID) || within(scope, u) != nil
}

// leading returns the fields that make more than an account waiting for its invitation.
func (in NewUser) leading(role access.Role) (fields []string) {
	if role != access.User {
		fields = append(fields, "role")
	}
	if !in.Password.Empty() {
		fields = append(fields, "password")
	}
	if in.UPN != "" {
		fields = append(fields, "upn")
	}
	if in.SID != "" {
		fields = append(fields, "sid")
	}
	return fields
}

// firstPassword returns the hash of a new account's password and whether it
// must be changed; none without a password.
func (s *Users) firstPassword(ctx context.Context, in NewUser) (hash string, mustChange bool, err error) {
	if in.Password.Empty() {
		return "", false, nil
	}
	policy, err := s.Policies.PasswordPolicy(ctx)
	if err != nil {
		return "", false, err
	}
	if err := policy.Check("password", in.Password, in.Username, in.Email); err != nil {
		return "", false, err
	}
	mustChange = policy.ChangeAtFirstSignIn
	if in.MustChange != nil {
		mustChange = *in.MustChange
	}
	hash, err = s.Hasher.Hash(ctx, in.Password)
	return hash, mustChange, err
}

func resolveRole(in NewUser) (access.Role, []fault.Field) {
	role := in.Role
	admin := in.IsAdmin != nil && *in.IsAdmin
	switch {
	case role == "" && admin:
		return access.GlobalAdmin, nil
	case role == "":
		return access.User, nil
	case !role.Valid():
		return role, []fault.Field{fault.NotOneOf("role", access.Roles...)}
	case in.IsAdmin != nil && admin != (role == access.GlobalAdmin):
		return role, []fault.Field{fault.Wrong("is_admin", "contradicts_role", "contradicts role; leave one of them out")}
	}
	return role, nil
}

func checkNames(in NewUser) []fault.Field {
	var bad []fault.Field
	if !validEmail(in.Email) {
		bad = append(bad, badEmail)
	}
	// Folding alone would let in letters that only look like the email's: the
	// long s, for example, folds to s.
	ownEmail := validEmail(in.Username) && strings.EqualFold(in.Username, in.Email) && len(in.Username) <= MaxUsername
	if !username.MatchString(in.Username) && !ownEmail {
		bad = append(bad, fault.Wrongf("username", "bad_username",
			"must have 1 to {max} of the letters a to z, digits, dots, dashes and underscores, or be the user's own email, no longer than that",
			fault.Params{"max": MaxUsername}))
	}
	if !textinput.ValidLine(in.Name, maxName) {
		bad = append(bad, fault.BadText("name", maxName))
	}
	if Reserved(in.Username) {
		bad = append(bad, fault.Wrong("username", "reserved", "is reserved for the audit log"))
	}
	return bad
}

var badEmail = fault.Wrong("email", "bad_email",
	"must be an email address such as name@example.org, in ASCII (a domain of other letters in its xn-- form)")

// validEmail accepts an addr-spec of RFC 5322 in ASCII, without display name,
// comments or quoting: certificates contain it (RFC 5280, section 4.2.1.6,
// rfc822Name).
func validEmail(s string) bool {
	if len(s) < 3 || len(s) > 254 || strings.ContainsAny(s, "\"<>()[]\\,;: \t\r\n") {
		return false
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	parsed, err := mail.ParseAddress(s)
	return err == nil && parsed.Address == s && strings.Count(s, "@") == 1
}

// placeIn decides the organization of a new account.
func (s *Users) placeIn(ctx context.Context, a access.Actor, scope access.Scope, role access.Role, in NewUser) (*int64, error) {
	o, err := HomeOrganization(ctx, s.Organizations, a, scope, role, in.OrganizationID)
	if err == nil {
		err = mayName(scope, o, User{}, User{UPN: in.UPN, SID: in.SID})
	}
	switch {
	case err != nil || o == nil:
		return nil, err
	case !o.Accepts(in.Email):
		return nil, fault.Invalid(EmailOutside)
	}
	return &o.ID, nil
}

// Get returns an account; NotFound outside scope.
func (s *Users) Get(ctx context.Context, scope access.Scope, id int64) (User, error) {
	return s.Store.User(ctx, scope, id)
}

// List returns the accounts in scope, newest first.
func (s *Users) List(ctx context.Context, scope access.Scope, f UserFilter, p page.Request) (page.Page[User], error) {
	if f.Role != "" && !f.Role.Valid() {
		return page.Page[User]{}, fault.Invalid(fault.NotOneOf("role", access.Roles...))
	}
	if f.State != "" && f.State != YetInvited && f.State != NeverSignedIn {
		return page.Page[User]{}, fault.Invalid(fault.NotOneOf("state", YetInvited, NeverSignedIn))
	}
	f.Now = s.Now()
	return s.Store.ListUsers(ctx, scope, f, p)
}

// TokensOf counts the tokens of accounts that the actor may see, by account id.
func (s *Users) TokensOf(ctx context.Context, users []User) (map[int64]int64, error) {
	ids := make([]int64, len(users))
	for i, u := range users {
		ids[i] = u.ID
	}
	return s.Store.TokensOf(ctx, ids)
}

// Bootstrap creates the first global admin, "admin", when no account exists.
// With an empty password it generates one, which must be changed at the first
// sign-in, and shows it before the account exists: nobody could use an account
// whose password was never seen.
func (s *Users) Bootstrap(ctx context.Context, given secret.String, show func(secret.String) error) error {
	n, err := s.Store.CountUsers(ctx)
	if err != nil || n > 0 {
		return err
	}
	pw := given
	if given.Empty() {
		if pw, err = password.Random(); err != nil {
			return err
		}
		if err := show(pw); err != nil {
			return err
		}
	} else if err := s.checkFirst(ctx, given); err != nil {
		return err
	}
	hash, err := s.Hasher.Hash(ctx, pw)
	if err != nil {
		return err
	}
	now := s.Now()
	u := User{
		Username: "admin", Email: "admin@localhost", PasswordHash: hash, Role: access.GlobalAdmin, IsActive: true,
		MustChangePassword: given.Empty(), AuthSource: Local, CreatedAt: now, UpdatedAt: now, PasswordChangedAt: now,
	}
	_, err = s.Store.InsertUser(ctx, u, audit.By(access.Actor{}, audit.UserCreated, "user", "", "first administrator"))
	if fault.Is(err, fault.Conflict) { // servers that start at once each find no account
		s.Log.Warn("another server just created the first administrator: use the password that it shows, not one shown here")
		return nil
	}
	return err
}

// checkFirst checks the configured password against the policy.
func (s *Users) checkFirst(ctx context.Context, given secret.String) error {
	policy, err := s.Policies.PasswordPolicy(ctx)
	if err != nil {
		return err
	}
	return policy.Check("KEYWARD_ADMIN_PASSWORD", given, "admin", "admin@localhost")
}
