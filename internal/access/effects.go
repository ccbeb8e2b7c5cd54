package access

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/fault"
)

// Effect is the kind of consequence that a field of a changing operation can
// have (contract §2).
type Effect string

// The effects. A person must authenticate recently to cause any of them; an API key
// never causes the first three.
const (
	Nothing Effect = ""
	SignIn  Effect = "sign-in" // someone can sign in who could not, or in another way
	Power   Effect = "power"   // someone may do more
	Name    Effect = "name"    // a certificate gets another name
	Secret  Effect = "secret"  // a secret reaches someone else
)

// fields are the names of body members and query parameters, by effect.
type fields map[Effect]string

// effects has every field of every changing operation; a test compares it with
// api/backend.yaml. An operation whose Rule is Recent demands the proof whatever is sent.
// In the others, the service names the fields that it is about to change (Leads), so that
// an unchanged value, or one that only takes away, has no effect.
var effects = map[Operation]fields{
	"change-password": {SignIn: "new_password", Nothing: "username current_password"}, // the current one is the proof
	"invitation":      {SignIn: "token password"},
	"invited":         {Nothing: "token"},
	"login":           {Nothing: "username password machine_id"},
	"refresh":         {Nothing: "refresh_token"},
	"oidc-exchange":   {Nothing: "code machine_id"},
	"reauthenticate":  {Nothing: "password code"},

	"put-notifications": {Nothing: "language mail"},
	"create-view":       {Nothing: "list name query shared"},
	"register-agent":    {Secret: "public_key", Nothing: "identity confirmed_code hostname"}, // one not used before: package session

	"register-hwkey": {Nothing: "serial label model firmware_version form_factor owner_id organization_id"},
	"import-hwkeys":  {Nothing: "dry_run"},
	// For a token whose secrets were released: the new owner could read what the former one
	// knows.
	"update-hwkey":   {Secret: "owner_id organization_id", Nothing: "label model firmware_version form_factor status"},
	"hwkey-enrolled": {Nothing: "firmware_version"},
	"bulk-hwkeys":    {Secret: "owner_id organization_id", Nothing: "serials status reason"},

	"start-rotation":  {Nothing: "fields pin reason"},
	"commit-rotation": {Nothing: "fields"},
	"abort-rotation":  {Nothing: "fields"},
	"observe-secret":  {Nothing: "field matched version"},
	"reset-hwkey":     {Secret: "reason remove_owner"},

	// Without a valid attestation: package cert.
	"sign-csr":                      {Name: "csr", Nothing: "attestation slot profile reason renew"},
	"revoke-certificate":            {Nothing: "reason"},
	"revoke-unrecorded-certificate": {Nothing: "certificate serial_number reason"},

	"create-user": {SignIn: "password", Power: "role is_admin", Name: "upn sid",
		Nothing: "username email name organization_id must_change_password"},
	"import-users": {SignIn: "invite", Power: "role", Name: "upn sid", Nothing: "dry_run limit"}, // role, upn, sid: columns
	"update-user": {SignIn: "is_active", Power: "role organization_id", Name: "email upn sid name",
		Nothing: "suspend_tokens revoke_certificates"},
	"enable-users":   {SignIn: "ids"},
	"reset-password": {SignIn: "password"},

	"create-organization": {Name: "upn_suffixes kerberos_realm", Nothing: "name email_domains"},
	"update-organization": {SignIn: "is_active", Name: "email_domains upn_suffixes kerberos_realm name"},

	"create-profile": {Name: "name description slots key_types ttl key_usage extended_key_usage subject sans sid " +
		"pin_policies touch_policies attestation organizations roles"},
	"update-profile": {Name: "description slots key_types ttl key_usage extended_key_usage subject sans sid " +
		"pin_policies touch_policies attestation organizations roles"},
	"preview-profile":                {Nothing: "profile serial user_id"},
	"request-ca":                     {Name: "parent subject key_type"},
	"install-ca":                     {Name: "certificate chain"},
	"put-slot-profiles":              {Name: "slots plan"},
	"put-organization-slot-profiles": {Name: "slots plan"},

	"put-password-policy": {SignIn: "min_length max_length require_uppercase require_lowercase require_digit require_symbol " +
		"reject_common max_age_days change_at_first_sign_in lockout_attempts lockout_minutes"},
	"put-oidc-settings": {
		SignIn: "enabled name issuer client_id client_secret scopes local_login create_users username_claim trust_prompt logout_at_provider",
		Power:  "default_role role_claim role_mapping default_organization_id organization_claim organization_mapping",
		Name:   "upn_claim sid_claim",
	},
	"put-mail-settings": {Secret: "enabled host port security allow_insecure_auth ca_pem username password from from_name language"},
	"test-mail":         {Nothing: "to"},
	"create-api-key":    {Power: "name role scopes organization_id expires_at"},

	"create-webhook": {Secret: "url actions description is_active organization_id"},
	"update-webhook": {Secret: "url actions rotate_secret", Nothing: "description is_active"},

	"put-backup-settings": {Secret: "store s3_endpoint region bucket prefix access_key_id secret_access_key use_path_style insecure_tls " +
		"encryption kms_key_id object_lock_mode object_lock_days schedule time_zone drill_schedule retention_days include_audit_logs " +
		"encryption_password"},
	"trigger-backup":           {Nothing: "type"},
	"drill-backup":             {Nothing: "key"},
	"validate-backup-password": {Nothing: "key password"},
	"restore-backup":           {Power: "key password replace_ca"},
	"retry-backup-job":         {Power: "password"},

	"upload-license": {Power: "replace_newer"},
	"system-recover": {Power: "accept_older"},
}

// EffectOf returns the effect of a field; false when it has no row.
func EffectOf(op Operation, field string) (Effect, bool) {
	for effect, names := range effects[op] {
		if slices.Contains(strings.Fields(names), field) {
			return effect, true
		}
	}
	return Nothing, false
}

// Effective lists the fields of an operation that have an effect, sorted.
func Effective(op Operation) []string {
	var out []string
	for effect, names := range effects[op] {
		if effect != Nothing {
			out = append(out, strings.Fields(names)...)
		}
	}
	slices.Sort(out)
	return out
}

// Effects lists the fields of each operation, for tests.
func Effects() map[Operation][]string {
	out := map[Operation][]string{}
	for op, byEffect := range effects {
		for _, names := range byEffect {
			out[op] = append(out[op], strings.Fields(names)...)
		}
	}
	return out
}

// errKey: an API key that caused a sign-in or more power could reach what is denied to keys.
var errKey = fault.New(fault.PermissionDenied, "api_key_effect",
	"An API key can't do this: it could let someone in, give power, or put another name into certificates. Sign in as a person.")

// CheckEffects judges what a request is about to change, by the effects of the fields that get
// another value: PermissionDenied for an API key, ReauthenticationRequired for a person
// who authenticated too long ago. It returns nil outside requests, and in public
// operations.
func CheckEffects(ctx context.Context, now time.Time, changed ...string) error {
	a := AdmissionOf(ctx)
	if a == nil {
		return nil
	}
	for _, field := range changed {
		effect, known := EffectOf(a.Operation, field)
		switch {
		case known && effect == Nothing:
			continue
		case a.Actor.APIKeyID != 0: // a field without a row is assumed to have any effect
			return errKey
		}
		if err := Recently(a.Actor, now); err != nil {
			return err
		}
	}
	return nil
}
