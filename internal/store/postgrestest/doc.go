// Package postgrestest gives tests a real PostgreSQL server: from the machine's packages, started
// by the test process in its own directory, and ended with it, even if that is killed.
//
//	Empty, Migrated   a database on the one server of this test process
//	Start             a server of one's own: to kill it, to restart it, to
//	                  reach it by TLS, to copy it
//
// PostgreSQL refuses to run as root: a root test process runs it as the user postgres, or nobody.
// Without a server a test fails; it is not skipped.
package postgrestest
