// Package ykman drives tokens through Yubico's command-line tool ykman, 4.0.9
// to 5.9, as a driver.Driver.
//
// No secret reaches an argument vector, the environment or a file. ykman reads
// one line per prompt from a standard input that is not a terminal, in a session
// of its own (setsid), so that it cannot fall back to /dev/tty. What needs no
// secret is read in one call of "ykman apdu", whose output, unlike that of "piv
// info", is machine-readable and the same in all versions. The APDUs are those of
// NIST SP 800-73-4 and Yubico's published extensions ("YubiKey PIV extensions":
// GET METADATA, ATTEST).
//
// The texts that distinguish failures come from the tool itself; they are matched
// only after the exit code.
package ykman
