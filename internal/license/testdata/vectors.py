#!/usr/bin/python3
"""Writes vectors.json: license files and what each is. No line of it comes from Keyward.

    /usr/bin/python3 vectors.py > vectors.json
"""
import base64
import hashlib
import json
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def b64(raw): return base64.b64encode(raw).decode()


def public(key): return b64(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))


def canonical(fields):
    """RFC 8785, for an object of texts with ASCII names: there Python's own form is the same"""
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


FIRST = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
SECOND = Ed25519PrivateKey.from_private_bytes(bytes(range(32, 64)))
STRANGER = Ed25519PrivateKey.from_private_bytes(bytes(range(64, 96)))
ID = b64(hashlib.sha256(b"an installation").digest())
PLAIN = {
    "installation_id": ID, "customer_name": "Example Ltd", "customer_email": "it@example.com",
    "issue_date": "2026-01-01T00:00:00Z", "expiry_date": "2027-01-01T00:00:00Z", "license_type": "enterprise",
}
FILES = []


def add(name, fields=None, key=FIRST, authentic=True, signed=None, write=None):
    fields = PLAIN if fields is None else fields
    signature = b64(key.sign(canonical(fields) if signed is None else signed))
    text = write(fields, signature) if write else json.dumps({"license": fields, "signature": signature})
    FILES.append({"name": name, "text": text, "authentic": authentic, "fields": fields, "canonical": canonical(fields).decode()})


def backwards(fields, signature):
    turned = dict(reversed(list(fields.items())))
    return "\n\t" + json.dumps({"signature": signature, "license": turned}, indent=4) + " \r\n"


def escaped(fields, signature):
    """every character of every text as \\uXXXX, names too"""
    def esc(text): return '"' + "".join("\\u%04X" % unit for unit in units(text)) + '"'
    def units(text):
        raw = text.encode("utf-16-be")
        return [raw[i] << 8 | raw[i + 1] for i in range(0, len(raw), 2)]
    return '{"license":{%s},"signature":%s}' % (",".join(esc(k) + ":" + esc(v) for k, v in fields.items()), esc(signature))


add("plain")
add("signed with the second key", key=SECOND)
add("other order, other space", write=backwards)
add("escaped", write=escaped)
add("of all the world", PLAIN | {"customer_name": "Zoë & Søn <Köln> “東京” 🔑 / \\ \"x\"", "license_type": "Großkunde/€"})
add("of all the world, escaped", PLAIN | {"customer_name": "Zoë & Søn <Köln> “東京” 🔑 / \\ \"x\""}, write=escaped)
add("zones and fractions", PLAIN | {"issue_date": "2026-01-01T05:30:00.25+05:30", "expiry_date": "2026-12-31T14:00:00.123456789-10:00"})
add("signed by a stranger", key=STRANGER, authentic=False)
add("signed with its spaces", signed=json.dumps(PLAIN).encode(), authentic=False)
add("signed in the order of the file", signed=json.dumps(PLAIN, separators=(",", ":")).encode(), authentic=False)
add("signed with escapes", PLAIN | {"customer_name": "Zoë"}, authentic=False,
    signed=json.dumps(PLAIN | {"customer_name": "Zoë"}, sort_keys=True, separators=(",", ":")).encode())
add("signed as a hash", signed=hashlib.sha512(canonical(PLAIN)).digest(), authentic=False)
add("signed as the whole file", signed=canonical({"license": PLAIN}), authentic=False)

print(json.dumps({"public_keys": [public(FIRST), public(SECOND)], "files": FILES}, indent=1, ensure_ascii=True))
