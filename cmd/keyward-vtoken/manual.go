package main

// manual is the output of --help.
const manual = `keyward-vtoken: virtual PIV tokens for tests and demonstrations

  keyward-vtoken run [--serial N]... [--firmware V] [--state DIR]
                     [--pin-complexity] [--if-none]
  keyward-vtoken plug N [--state DIR]
  keyward-vtoken unplug N [--state DIR]
  keyward-vtoken factory-reset N [--state DIR]
  keyward-vtoken root [--state DIR]

run starts its own pcscd with one reader per token, and runs until you interrupt
it. On standard output, it prints what a client needs:

  PCSCLITE_CSOCK_NAME=/home/me/.local/state/keyward-vtoken/run/pcscd.comm
  serial=20260001

Put the first line into the environment of ykman, yubico-piv-tool, OpenSC or
keyward-agent, and they find the tokens. The system's pcscd and real tokens
aren't affected. Tokens survive restarts, with their keys and retry counters.

  --serial N         a token, plugged in; can be repeated (up to 16).
                     Default: one token, 20260001
  --firmware V       firmware of tokens that don't exist yet, 5.0.0 or later.
                     Default: 5.4.3. 5.7.0 and later have larger RSA keys,
                     Ed25519 and X25519, and an AES-192 management key
  --pin-complexity   refuse trivial PINs and PUKs, as firmware 5.7 can
  --if-none          do nothing, and exit with code 0, if the pcscd in use has
                     a reader whose name contains "Yubi"
  --state DIR        where to keep tokens and sockets.
                     Default: $XDG_STATE_HOME/keyward-vtoken, otherwise
                     ~/.local/state/keyward-vtoken. Only this user can access
                     it (mode 0700), in a place where nobody can replace it

plug and unplug plug a token in and pull it out, in the running instance with
the same state directory. factory-reset resets a token's PIV application,
blocked or not, even if nothing is running. root prints the test root of the
tokens' attestation certificates as PEM: give it to a server that checks
attestations.

A new token has the PIN 123456, the PUK 12345678 and the factory management key.

This is for testing only. The state directory holds PINs and private keys in the
clear. Don't use it for anything of value.

Needs Linux, pcscd, a C compiler and libpcsclite-dev; and root, or unprivileged
user namespaces. Exit codes: 0 done, 1 failed, 2 wrong usage.
`
