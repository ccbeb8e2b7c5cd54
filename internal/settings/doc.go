// Package settings keeps what an administrator sets while the server runs, and the
// server's own bookmarks: one JSON text a name, a row of the database (Store). What a
// setting means is its owner's matter.
//
// The secret of a setting is in the vault (SecretSlot). Row and document share no
// transaction, so the document holds several secrets, each by an id, and the row, written
// after it, names the one that counts: a crash between the two changes nothing.
//
// PasswordPolicies is the one setting without an owner of its own. It is read anew at
// every use, so that a change holds at once, on every replica. Routes:
// GET and PUT /api/admin/settings/password-policy.
package settings
