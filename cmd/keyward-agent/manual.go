package main

// manual is the description in the output of --help.
const manual = `Lets Keyward use this workstation's security tokens. Runs as you, on your
workstation, and answers your browser and your own programs on the loopback
interface. It drives tokens with Yubico's ykman (package yubikey-manager, 4.0.9
or later), which it runs once per step.

PINs, PUKs and management keys arrive encrypted for a key that the agent creates
at every start and keeps in memory only. A second key, its identity, signs that
key after each start, so that the server recognizes the agent. It is created at
the first start, for you alone, in keyward/agent-identity.pem in your
configuration folder. If the page or keyward token asks you to compare a code,
keyward-agent code prints yours. If they differ, another program answers instead
of your agent: say no, and tell your administrator.

Without --origin or --dev, no page could use the agent, so it refuses to start.
It also refuses if the port is taken, because another agent is already running.

One operation at a time uses the tokens; others wait up to 30 seconds. When you
stop the agent, it first lets a running operation finish; a second interrupt
stops it immediately.

If pcscd isn't in its usual place, set PCSCLITE_CSOCK_NAME to its socket, as for
every program that uses smart cards.

Exit codes: 0 done, 1 failed, 2 wrong usage.`
