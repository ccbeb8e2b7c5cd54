// Package session says who is asking: people, who sign in, and the keys of programs.
//
// People have sessions of one hour, access tokens of 30 minutes, refresh tokens that rotate.
//
//	            login                     logout, reuse, password change
//	(nothing) ─────────▶ active ───────────────────────────────▶ inactive
//	                       │ one hour
//	                       └───────▶ expired ──cleaned up──▶ (nothing)
//
//	refresh token:  fresh ──used──▶ used ──used again──▶ family revoked, session ended
//	                                  └─within 30 s, successor unused──▶ successor replaced
//
// Routes: POST /api/auth/login, /refresh, /logout, /password; GET /api/auth/me;
// POST /api/auth/reauthenticate; GET /api/auth/sessions;
// DELETE /api/auth/sessions/{id}; GET /api/session/{id};
// POST /api/session/{id}/register-agent; GET /api/auth/agents;
// DELETE /api/auth/agents/{id}.
//
// API keys are for automation, within a role and an organization, without a session:
//
//	            create                revoke
//	(nothing) ─────────▶ active ─────────────────▶ revoked
//	                       └─────expires_at──────▶ expired
//
// A key depends on the account that created it: while that is disabled, demoted or moved,
// its keys are refused. The table of package access says which operations keys may use.
//
// Routes: GET and POST /api/admin/api-keys, DELETE /api/admin/api-keys/{id}.
package session
