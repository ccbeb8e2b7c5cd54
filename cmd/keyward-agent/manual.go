package main

// manual is the output of --help.
const manual = `keyward-agent: lets Keyward use this workstation's security tokens

  keyward-agent --origin https://keyward.example.org [--origin O]...
                [--listen 127.0.0.1:56123] [--tool PATH]
                [--dev] [--allow-plaintext]
  keyward-agent code

The agent runs as you, on your workstation, and answers your browser and your
own programs on the loopback interface. It drives tokens with Yubico's ykman
(package yubikey-manager, 4.0.9 or later), which it runs once per step.

PINs, PUKs and management keys arrive encrypted for a key that the agent creates
at every start and keeps in memory only. A second key, its identity, signs that
key after each start, so that the server recognizes the agent. It is created at
the first start, for you alone, in keyward/agent-identity.pem in your
configuration folder. If the page or keyward token asks you to compare a code,

  keyward-agent code

prints yours. If they differ, another program answers instead of your agent: say
no, and tell your administrator.

  --origin O          a site whose pages may use the agent, as its address
                      begins: scheme, host, and the port if there is one. Can be
                      repeated. No wildcards
  --listen ADDR       where to listen, on 127.0.0.1 only. Default:
                      127.0.0.1:56123, where pages look for the agent
  --tool PATH         the ykman to use. Default: the one in PATH
  --dev               also allow pages served from this machine, such as
                      http://localhost:8080
  --allow-plaintext   accept unencrypted secrets, for trying things out with
                      curl. Don't use it otherwise
  --version           print the version
  --help              print this
  code                print your agent's pairing code

Without --origin or --dev, no page could use the agent, so it refuses to start.
It also refuses if the port is taken, because another agent is already running.

One operation at a time uses the tokens; others wait up to 30 seconds. When you
stop the agent, it first lets a running operation finish; a second interrupt
stops it immediately.

If pcscd isn't in its usual place, set PCSCLITE_CSOCK_NAME to its socket, as for
every program that uses smart cards.

Exit codes: 0 done, 1 failed, 2 wrong usage.
`
