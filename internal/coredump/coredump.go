// Package coredump keeps a process's memory out of core dumps and, on Linux,
// away from debuggers of the same user, because server and agent have secrets
// in it.
//
// Go does not wipe memory: an unused secret stays until something else
// overwrites it. So memory must not reach a disk. Preventing swap is not this
// package's job.
package coredump

// Disable must be the first call in main. Programs started later inherit only
// the limit on core files. An error deserves a warning: the process works
// without.
func Disable() error { return disable() }
