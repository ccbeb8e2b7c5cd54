// Package coredump keeps a process's memory out of core dumps and, on Linux,
// away from debuggers of the same user: server and agent hold secrets in it.
//
// Go does not wipe memory: a secret that is no longer in use stays where it
// was until something else takes its place. So what is kept in memory alone
// must not get from there to a disk. Swap is not this package's to prevent.
package coredump

// Disable is called first of all in main. Programs that are started later
// inherit the limit on core files, and nothing else. An error is worth a
// warning: the process works without.
func Disable() error { return disable() }
