package user

// ValidEmail tells whether text can be an account's email: an addr-spec of
// RFC 5322 in ASCII, at most 254 bytes, without display name, comments or
// quoting, since it is to stand in certificates.
func ValidEmail(text string) bool { return validEmail(text) }
