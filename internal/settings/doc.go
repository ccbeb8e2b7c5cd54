// Package settings keeps what an administrator sets while the server runs, and the
// server's own bookmarks: each is a row of the database, a JSON text with a name (Store).
// What a setting means is up to the package that owns it.
//
// A setting's secret is in the vault (SecretSlot). Row and document share no transaction,
// so the document holds several secrets, each with an id, and the row, written after it,
// names the one that counts: a crash between the two changes nothing.
//
// PasswordPolicies is the only setting that this package owns. It is read at every use, so
// a change takes effect at once on every server. Routes:
// GET and PUT /api/admin/settings/password-policy.
package settings
