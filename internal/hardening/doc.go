// Package hardening protects what a process holds in memory, and the files it relies on,
// from other users and programs of the machine.
//
// Memory: DisableCoreDumps keeps it out of core dumps and, on Linux, away from debuggers
// of the same user. Go does not wipe memory: a secret that is no longer used stays there
// until something overwrites it. Preventing swap is left to the system.
//
// Files: Owned, Alone, Ours, Steady and Private check that nobody else can have read, changed
// or replaced a file or folder. On systems without Unix owners they check nothing.
//
// It is a leaf; the commands, and whatever reads keys or opens sockets, use it.
package hardening
