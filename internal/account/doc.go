// Package account holds who may sign in and with which role (Users), the organizations that
// they belong to (Organizations), and what the command line may do without a sign-in
// (Rescue).
//
//	Users.Create ──▶ invited ── takes the invitation ──▶ active ◀──▶ disabled
//
// A change of role, organization, activity, username or email ends invitations, and all
// but the last two end sessions (contract, section 2). Nobody disables or demotes the
// last active global administrator. A disabled organization keeps its members out; its
// email domains say which addresses they may have. Signing in is package session's matter.
//
// Routes: /api/admin/users and below, /api/admin/organizations and below.
package account
