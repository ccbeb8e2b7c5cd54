// Package session says who is asking: people, who sign in, and programs with an API key.
// Accounts are package account's; what an actor may do is package access's.
//
// People have sessions of one hour, with access tokens of 30 minutes and refresh tokens
// that rotate (Service):
//
//	            login                     logout, reuse, password change
//	(nothing) ─────────▶ active ───────────────────────────────▶ inactive
//	                       │ one hour
//	                       └───────▶ expired ──cleaned up──▶ (nothing)
//
//	refresh token:  fresh ──used──▶ used ──used again──▶ family revoked, session ended
//	                                  └─within 30 s, successor unused──▶ successor replaced
//
// API keys are for automation, within a role and an organization, without a session
// (APIKeys). A key's requests are refused while the account that created it is disabled,
// demoted or moved.
//
//	            create                revoke
//	(nothing) ─────────▶ active ─────────────────▶ revoked
//	                       └─────expires_at──────▶ expired
//
// Routes: POST /api/auth/login, /refresh, /logout, /password, /invitation, /reauthenticate;
// GET /api/auth/me, /sessions, /agents; DELETE /api/auth/sessions/{id}, /agents/{id};
// GET /api/session/{id}, POST /api/session/{id}/register-agent;
// GET and POST /api/admin/api-keys, DELETE /api/admin/api-keys/{id}.
package session
