// Package ca keeps the installation's CAs: one signs certificates, those before it still sign their lists
// (certificates.md, "Several CAs").
//
//	(none) --Request(external)--> requested --Install--> ready --Activate--> active
//	(none) --Request(self)-------------------------------^                     │ another is activated
//	requested --Withdraw--> (none)              active <--Activate-- retiring <-┘
//	                                                         retiring --its last certificate has ended--> ended
//
// The engine has the keys and certificates, and knows which one is active. What happened to each is a
// document in the vault: whoever writes to the database can't end a CA. An entry of the audit log is durable
// before the engine makes a change; if the engine then refuses it, a second entry says so.
//
//	certificate_authorities/history   when each was requested, installed, activated and retired
//
// Routes: /api/admin/cas.
package ca
