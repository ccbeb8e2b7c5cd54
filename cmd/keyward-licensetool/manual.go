package main

// manual is the answer to --help.
const manual = `keyward-licensetool: makes and checks licenses, at the vendor's desk

  keyward-licensetool keygen --key FILE [--passphrase-file FILE] [--json]
  keyward-licensetool issue --key FILE --installation-id ID --customer NAME
                            --email ADDRESS --type TYPE
                            (--days N | --expires TIME)
                            [--output FILE] [--passphrase-file FILE] [--json]
  keyward-licensetool inspect [--json] FILE
  keyward-licensetool verify --public-key KEY [--installation-id ID]
                             [--json] FILE

keygen makes a private key, encrypted with a passphrase, in a new file that
only its owner can read, and prints the public key. A release accepts licenses
of the public keys that it is built with: LICENSE_PUBLIC_KEYS, separated by
commas. The file is an age file of a PKCS#8 key. Keep copies of it, and the
passphrase elsewhere: whoever has both can issue licenses, and without them
nobody can.

issue signs a license for one installation, whose ID the customer finds on the
page License. It goes to standard output, or into a new file.

inspect shows what stands in a license file, and proves nothing. verify holds
it against public keys, the clock and, with --installation-id, the installation:
exit code 0 when a server of that installation that never stored one issued
later would take it now, else 1. FILE may be - for standard input.

  --key FILE               the private key's file
  --passphrase-file FILE   the passphrase, on its first line. Default: asked
                           for on the terminal
  --installation-id ID     44 characters
  --customer NAME          who the license is for
  --email ADDRESS          where they are written to
  --type TYPE              the vendor's own word, such as enterprise
  --days N                 how long it runs from now on, 1 to 36500 days
  --expires TIME           when it ends, such as 2027-12-31T23:59:59Z
  --output FILE            where the license goes; never over another file
  --public-key KEY         as keygen prints it; several with commas between
  --json                   the answer as JSON

Exit codes: 0 done, 1 failed or not valid, 2 wrong usage.
`
