package main

// manual is the answer to --help.
const manual = `keyward-agent: works on this workstation's security tokens for Keyward

  keyward-agent --origin https://keyward.example.org [--origin O]...
                [--listen 127.0.0.1:56123] [--tool PATH]
                [--dev] [--allow-plaintext]
  keyward-agent code

The agent runs as you, on your workstation, and answers your browser and your
own programs on the loopback interface. It drives tokens with Yubico's ykman
(package yubikey-manager, 4.0.9 or later), which it runs once per step.

PINs, PUKs and management keys reach it sealed for a key that it makes at every
start and keeps in memory only. Another key, its identity, vouches for that one
after each start, so that the server knows the agent again. It is made at the
first start, for you alone, in keyward/agent-identity.pem in your configuration
folder. When the page or keyward token asks you to compare a code,

  keyward-agent code

prints yours. If that is another one, something else answers in the agent's
place: say no, and tell your administrator.

  --origin O          a site whose pages may use the agent, exactly as the
                      browser's address bar begins: scheme, host, and a port if
                      there is one. May be repeated. No wildcards.
  --listen ADDR       where to listen, on 127.0.0.1 only. Pages look for the
                      agent at 127.0.0.1:56123, the default
  --tool PATH         the ykman to use. Default: the one in PATH
  --dev               also allow pages that are served from this machine
                      (http://localhost:8080 and the like)
  --allow-plaintext   accept secrets that are not sealed, for trying things out
                      with curl. Do not use it otherwise
  --version           print the version
  --help              print this
  code                print your agent's pairing code

Without --origin and without --dev no page could use the agent, so it refuses to
start. It also refuses when the port is taken: then another agent runs already.

One operation at a time has the tokens; others wait up to 30 seconds. When the
agent is told to end, it first lets a running operation finish; a second
interrupt does not wait.

Where pcscd is not at its usual place, PCSCLITE_CSOCK_NAME names its socket, as
for every program that uses smart cards.

Exit codes: 0 done, 1 failed, 2 wrong usage.
`
