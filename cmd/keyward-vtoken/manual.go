package main

// manual is the answer to --help.
const manual = `keyward-vtoken: virtual PIV tokens for tests and demonstrations

  keyward-vtoken run [--serial N]... [--firmware V] [--state DIR]
                     [--pin-complexity] [--if-none]
  keyward-vtoken plug N [--state DIR]
  keyward-vtoken unplug N [--state DIR]
  keyward-vtoken factory-reset N [--state DIR]
  keyward-vtoken root [--state DIR]

run starts a pcscd of its own with one reader per token, and runs until it is
interrupted. On standard output it prints what a client needs:

  PCSCLITE_CSOCK_NAME=/home/me/.local/state/keyward-vtoken/run/pcscd.comm
  serial=20260001

Put the first line into the environment of ykman, yubico-piv-tool, OpenSC or
keyward-agent, and they find the tokens. The system's pcscd and real tokens are
left alone. Tokens survive restarts, with their keys and retry counters.

  --serial N         a token, plugged in; may be repeated (up to 16).
                     Default: one token, 20260001
  --firmware V       firmware of tokens that do not exist yet, 5.0.0 or later.
                     Default: 5.4.3. From 5.7.0 on there are larger RSA keys,
                     Ed25519 and X25519, and an AES-192 management key
  --pin-complexity   refuse trivial PINs and PUKs, as firmware 5.7 can
  --if-none          do nothing, successfully, when the pcscd in use has a
                     reader whose name contains "Yubi"
  --state DIR        where tokens and sockets live.
                     Default: $XDG_STATE_HOME/keyward-vtoken, or else
                     ~/.local/state/keyward-vtoken. It is this user's alone
                     (mode 0700), in a place where nobody can exchange it

plug and unplug put a token into its reader and pull it, in the running
instance of the same state directory. factory-reset makes a token's PIV
application new, blocked or not; it also works when nothing runs. root prints
the test root that the tokens' attestation certificates end in, as PEM: tell it
to a server that checks attestations.

A new token has the PIN 123456, the PUK 12345678 and the factory management key.

This is a testing device. The state directory holds PINs and private keys in
the clear. Do not use it for anything of value.

Needs Linux, pcscd, a C compiler and libpcsclite-dev; and root, or user
namespaces for everybody. Exit codes: 0 done, 1 failed, 2 wrong usage.
`
