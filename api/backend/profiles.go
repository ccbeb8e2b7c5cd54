package backend

// ProfileBody is what a certificate profile says.
type ProfileBody struct {
	Description      string         `json:"description,omitempty" maxLength:"256"`
	Slots            []string       `json:"slots" nullable:"false" enum:"9a,9c,9d,9e" maxItems:"4"`
	KeyTypes         []string       `json:"key_types" nullable:"false" enum:"rsa-2048,rsa-3072,rsa-4096,ec-p256,ec-p384,ed25519" maxItems:"6" doc:"what counts is these and PKI_KEY_TYPES together"`
	TTL              string         `json:"ttl,omitempty" maxLength:"32" doc:"Go duration, such as 2160h; empty: PKI_CERT_TTL, the longest"`
	KeyUsage         []string       `json:"key_usage" nullable:"false" enum:"digitalSignature,contentCommitment,keyEncipherment,keyAgreement" maxItems:"4" doc:"for EC keys, keyEncipherment becomes keyAgreement"`
	ExtendedKeyUsage []string       `json:"extended_key_usage" nullable:"false" maxItems:"20" doc:"clientAuth, emailProtection, smartcardLogon, pkinitClient, cardAuthentication, ipsecUser, documentSigning, or dotted OIDs"`
	Subject          ProfileSubject `json:"subject"`
	SANs             []ProfileSAN   `json:"sans,omitempty" nullable:"false" maxItems:"20"`
	SID              string         `json:"sid,omitempty" enum:"off,optional,required" doc:"the Windows SID (KB5014754); off when absent"`
	PINPolicies      []string       `json:"pin_policies,omitempty" nullable:"false" enum:"never,once,always,match_once,match_always" maxItems:"5" doc:"that an attestation may show; empty: any"`
	TouchPolicies    []string       `json:"touch_policies,omitempty" nullable:"false" enum:"never,always,cached" maxItems:"3" doc:"likewise"`
	Attestation      string         `json:"attestation,omitempty" enum:"inherit,verify,require" doc:"never less than PKI_ATTESTATION; inherit when absent"`
	Organizations    []int64        `json:"organizations,omitempty" nullable:"false" maxItems:"1000" doc:"whose tokens may have it; empty: all"`
	Roles            []string       `json:"roles,omitempty" nullable:"false" enum:"global_admin,org_manager,user" maxItems:"3" doc:"of the tokens' owners; empty: all"`
}

// ProfileSubject has templates: {username}, {email}, {name}, {upn}, {organization} and {serial}.
type ProfileSubject struct {
	CommonName         string `json:"common_name" maxLength:"200" doc:"with {username}, {email}, {name}, {upn}, {organization}, {serial}; {name|username} is the first that isn't empty"`
	Organization       string `json:"organization,omitempty" maxLength:"200"`
	OrganizationalUnit string `json:"organizational_unit,omitempty" maxLength:"200"`
	Country            string `json:"country,omitempty" maxLength:"2"`
}

// ProfileSAN is an alternative name with a template.
type ProfileSAN struct {
	Type  string `json:"type" enum:"email,upn,krb5_principal,dns,uri"`
	Value string `json:"value" maxLength:"200" doc:"{email}, {upn} or, for krb5_principal, {username} or {upn}; for dns and uri, a text with {serial} at most"`
}

// NewProfile is a profile to be made.
type NewProfile struct {
	Name string `json:"name" minLength:"1" maxLength:"40" pattern:"^[a-z0-9-]{1,40}$"`
	ProfileBody
}

// Profile is a certificate profile.
type Profile struct {
	Name string `json:"name"`
	ProfileBody
	Builtin bool `json:"builtin" doc:"part of Keyward: it can't be changed"`
	InUse   bool `json:"in_use" doc:"whether a slot gets it"`
}

// Profiles are all profiles, the built-in ones first.
type Profiles struct {
	Items []Profile `json:"items" nullable:"false"`
}

// UsableProfile is a profile that one may use.
type UsableProfile struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Slots       []string `json:"slots" nullable:"false"`
	Fits        *bool    `json:"fits" nullable:"true" doc:"whether the token's owner can have it in the slot; null without serial and slot"`
	Reasons     []string `json:"reasons" nullable:"false" doc:"codes of why it doesn't fit"`
}

// UsableProfiles are those that one may use, and what a token's slots get.
type UsableProfiles struct {
	Items []UsableProfile `json:"items" nullable:"false"`
	Slots SlotNames       `json:"slots" doc:"of the token's organization, or of the caller's"`
	Plan  []string        `json:"plan" nullable:"false" doc:"the slots that a set-up fills in one go"`
}

// SlotNames are profiles by slot.
type SlotNames struct {
	Authentication     *string `json:"9a" maxLength:"40" nullable:"true" required:"false" doc:"a profile's name, or none; of an organization null: the installation's"`
	Signature          *string `json:"9c" maxLength:"40" nullable:"true" required:"false"`
	KeyManagement      *string `json:"9d" maxLength:"40" nullable:"true" required:"false"`
	CardAuthentication *string `json:"9e" maxLength:"40" nullable:"true" required:"false"`
}

// SlotProfiles say which profile each slot's certificates have.
type SlotProfiles struct {
	Slots SlotNames `json:"slots"`
	Plan  *[]string `json:"plan" enum:"9a,9c,9d,9e" nullable:"true" required:"false" maxItems:"4" doc:"the slots that a set-up fills in one go; of an organization null: the installation's"`
}

// ProfilePreview is the certificate that would come out of a profile.
type ProfilePreview struct {
	Certificate *string    `json:"certificate" nullable:"true" doc:"PEM, by a CA that nobody trusts; null: none would come out, as the warnings say"`
	Text        string     `json:"text" doc:"what it says, for people"`
	Warnings    []string   `json:"warnings" nullable:"false" doc:"English: why there would be none, what the CA isn't for, and what zlint finds"`
	Sentences   []Sentence `json:"sentences" nullable:"false" doc:"warnings again, with codes for translation"`
}
