// Package hardening keeps what a process holds, and the files that it trusts, from the
// other users and programs of the machine.
//
// Memory: DisableCoreDumps keeps it out of core dumps and, on Linux, away from debuggers
// of the same user. Go does not wipe memory: a secret that is no longer in use stays where
// it was until something else takes its place. Swap is not this package's to prevent.
//
// Files: Ours, Private and the others tell whether files and folders are this user's
// alone, so that nobody else has put, read or exchanged what a program finds there. On
// systems without Unix owners it trusts the folder, which is closed to other users there.
//
// It is a leaf; the commands and what reads keys use it.
package hardening
