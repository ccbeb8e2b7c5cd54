// Package recovery holds secrets and signatures back while what the server
// stands on cannot be trusted: somebody has put triggers, rules or views over
// the database's tables, so that what is written may not be what stands there.
// Everything else goes on. Contract, "Audit".
package recovery
