// Package postgrestest gives tests a real PostgreSQL server: the one of the
// machine's packages, started by the test process in a directory of its own and
// ended with it, also when that is killed.
//
//	Empty, Migrated   a database on the one server of this test process
//	Start             a server of one's own: to kill it, to restart it, to
//	                  reach it by TLS, to copy it
//
// PostgreSQL refuses to run as root. A test process that is root runs it as
// the user postgres, or nobody. Without a server a test fails: it is no test
// that is skipped.
package postgrestest
