// Package ykman drives tokens through Yubico's command-line tool ykman, 4.0.9
// to 5.9, as a driver.Driver.
//
// No secret reaches an argument vector, the environment or a file. ykman
// reads one line per prompt from a standard input that is no terminal, in a
// session of its own (setsid), so that it cannot fall back to /dev/tty.
// What needs no secret is read in one call of "ykman apdu", whose output is
// the same in all versions and, other than that of "piv info", meant for
// machines. The APDUs are those of NIST SP 800-73-4 and of Yubico's
// published extensions ("YubiKey PIV extensions": GET METADATA, ATTEST).
//
// The texts by which failures are told apart were collected from the tool
// itself; they are judged only after the exit code.
package ykman
