package hardening

// DisableCoreDumps must be the first call in main. Programs started later inherit only
// the limit on core files. An error deserves a warning: the process works without.
func DisableCoreDumps() error { return disable() }
