package main

import (
	"log/slog"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/keyward/keyward/internal/config"
)

// ballastBytes is counted as live but never touched, so it costs only address space.
// The live heap of a small installation is a few megabytes, for which the collector
// would run dozens of times a second under load and take a fifth of the time per
// request.
const ballastBytes = 64 << 20

// What a server needs besides the hashing of passwords, in MiB: the memory that the
// collector aims at, and what a limit should allow (docs/operations.md, "Memory").
const (
	reserve = 256
	allows  = 384
)

// withinMemory sets where the collector begins to work harder: 256 MiB, including the
// ballast, plus the password hashes that may be computed concurrently. Without it, 500
// concurrent sign-ins take a third more, since each hash leaves 64 MiB of garbage. It
// is not a hard limit: allocations never fail. In a container that allows less, fewer
// passwords are hashed concurrently, and the ballast is left out.
func withinMemory(cfg *config.Config, limitSet bool, log *slog.Logger) (ballast []byte) {
	needs := reserve + cfg.Argon2Concurrency*cfg.Argon2MemoryMiB
	allowed, err := memlimit.FromCgroup()
	wants := allows + cfg.Argon2Concurrency*cfg.Argon2MemoryMiB
	if err != nil || allowed>>20 >= uint64(wants) { // no limit, or an unreadable one
		if !limitSet {
			debug.SetMemoryLimit(int64(needs) << 20)
		}
		return make([]byte, ballastBytes)
	}
	has := int(allowed >> 20)
	fit := max(1, min(cfg.Argon2Concurrency, (has-reserve/2)/(2*cfg.Argon2MemoryMiB)))
	log.Warn("the memory limit is below what these settings need, and the server may be killed under load. Raise the limit, or lower "+
		"ARGON2_CONCURRENCY or ARGON2_MEMORY_MIB",
		"limit_mib", has, "needs_mib", wants, "hashed_at_once", fit)
	cfg.Argon2Concurrency = fit
	if !limitSet {
		debug.SetMemoryLimit(int64(allowed / 10 * 8))
	}
	return nil
}
