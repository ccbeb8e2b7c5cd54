package hardening

// DisableCoreDumps is called first of all in main. Programs that are started later
// inherit the limit on core files, and nothing else. An error is worth a
// warning: the process works without.
func DisableCoreDumps() error { return disable() }
