// Package agent is the workstation agent: a server on the loopback interface
// that a Keyward page, or Keyward's command-line client, asks to work on the
// tokens of this workstation (interface specification, "Agent"; contract,
// section 11).
//
// It keeps no state but one RSA-4096 key, made anew at every start and never
// written anywhere. Secrets reach it sealed for that key (package agentkey)
// and live no longer than their request.
//
// A request passes, in this order: the peer check (same OS user), the Host check,
// the Origin check, the media type, the body's schema, the opening and validation
// of its secrets, the queue, the token. Only the last changes anything. One
// operation holds the queue for all its steps; once begun, it runs to its end
// even if the client disconnects, since a half-finished change is worse than an
// unread response.
//
// Routes:
//
//	GET  /.well-known/service-agent  GET  /health        GET /pubkey
//	GET  /discover                   GET  /events        GET /system/info
//	GET  /piv/info                   GET  /piv/check-defaults
//	POST /piv/probe                  POST /piv/set-pin   POST /piv/set-puk
//	POST /piv/unblock-pin            POST /piv/set-retries
//	POST /piv/rotate-management-key  POST /piv/generate-csr
//	POST /piv/import-certificate     POST /piv/reset
package agent
