package main

// manual is the output of --help.
const manual = `keyward-licensetool: creates and checks licenses, for the vendor

  keyward-licensetool keygen --key FILE [--passphrase-file FILE] [--json]
  keyward-licensetool issue --key FILE --installation-id ID --customer NAME
                            --email ADDRESS --type TYPE
                            (--days N | --expires TIME)
                            [--output FILE] [--passphrase-file FILE] [--json]
  keyward-licensetool inspect [--json] FILE
  keyward-licensetool verify --public-key KEY [--installation-id ID]
                             [--json] FILE

keygen creates a private key, encrypted with a passphrase, in a new file that
only its owner can read, and prints the public key. A release accepts licenses
signed with the keys it is built with: LICENSE_PUBLIC_KEYS, separated by commas.
The file is an age file with a PKCS#8 key. Keep copies of it, and keep the
passphrase elsewhere: anyone who has both can issue licenses, and nobody can
without them.

issue signs a license for one installation. The customer finds its ID on the
page License. The license goes to standard output, or to a new file.

inspect shows what is in a license file, and proves nothing. verify checks it
against public keys, the clock and, with --installation-id, the installation. It
exits with code 0 if a server of that installation would accept it now, unless
it has stored one that was issued later; otherwise with 1. FILE can be - for
standard input.

  --key FILE               the private key's file
  --passphrase-file FILE   file with the passphrase on its first line. Default:
                           ask on the terminal
  --installation-id ID     44 characters
  --customer NAME          who the license is for
  --email ADDRESS          the customer's email address
  --type TYPE              a type of your choice, such as enterprise
  --days N                 how long it is valid from now, 1 to 36500 days
  --expires TIME           when it expires, such as 2027-12-31T23:59:59Z
  --output FILE            where to write the license; never replaces a file
  --public-key KEY         as keygen prints it; separate several with commas
  --json                   print the result as JSON

Exit codes: 0 done, 1 failed or not valid, 2 wrong usage.
`
