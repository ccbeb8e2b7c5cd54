// Package account holds who may sign in, with which role, and the organizations that
// they belong to.
//
//	Users.Create ──▶ invited ── takes the invitation ──▶ active ◀──▶ disabled
//
// A change of role, organization, activity, username or email ends invitations, and all
// but the last two end sessions (contract, section 2). Nobody disables or demotes the
// last active global administrator. An organization that is disabled keeps its members
// out; its email domains say whose addresses they may have.
//
// Routes: /api/admin/users and below, POST /api/auth/password, /api/admin/organizations.
package account
