// Package hardening keeps what a process holds, and the files that it trusts, from the
// other users and programs of the machine.
//
// Memory: DisableCoreDumps keeps it out of core dumps and, on Linux, away from debuggers
// of the same user. Go does not wipe memory: an unused secret stays until something else
// overwrites it. Preventing swap is not this package's job.
//
// Files: Ours, Private and the others report whether files and folders belong to this user
// alone, so that nobody else has put, read or replaced what a program finds there. On
// systems without Unix owners they trust the folder, which is closed to other users.
//
// It is a leaf; the commands and what reads keys use it.
package hardening
