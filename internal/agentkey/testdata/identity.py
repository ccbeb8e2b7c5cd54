#!/usr/bin/python3
"""Signs as Keyward's agent does, written from the contract alone. Needs the package cryptography.

    pairing.py make > vectors.json      new keys, their codes, signatures that verify and some that must not
    pairing.py verify IDENTITY_FILE RSA_FILE ORIGIN < SIGNATURE      exit code 1 if it does not verify
"""
import base64, hashlib, json, sys
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization as form
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa


def spki(key):
    return key.public_bytes(form.Encoding.DER, form.PublicFormat.SubjectPublicKeyInfo)


def pem(key):
    return key.public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo).decode()


def code(key):
    text = base64.b32encode(hashlib.sha256(spki(key)).digest()).decode()[:16]
    return "-".join(text[i:i + 4] for i in range(0, 16, 4))


def message(origin, rsa_key, version=1):
    return ("keyward-agent/%d\n%s\n%s" % (version, origin, hashlib.sha256(spki(rsa_key)).hexdigest())).encode()


def make():
    identity, other = ed25519.Ed25519PrivateKey.generate(), ed25519.Ed25519PrivateKey.generate()
    key, next_key = (rsa.generate_private_key(public_exponent=65537, key_size=4096).public_key() for _ in range(2))
    site = "https://keyward.example.org"
    def sign(text, by=identity): return base64.b64encode(by.sign(text)).decode()
    good = [site, "https://keyward.example.org:8443", "http://127.0.0.1:8080", "-"]
    digest = hashlib.sha256(spki(key))
    bad = {
        "another origin": sign(message("https://evil.example", key)),
        "no origin": sign(message("-", key)),
        "another RSA key": sign(message(site, next_key)),
        "another identity": sign(message(site, key), other),
        "another version": sign(message(site, key, 2)),
        "upper-case hash": sign(b"keyward-agent/1\n" + site.encode() + b"\n" + digest.hexdigest().upper().encode()),
        "raw hash": sign(b"keyward-agent/1\n" + site.encode() + b"\n" + digest.digest()),
        "line break at the end": sign(message(site, key) + b"\n"),
        "no signature": "",
        "URL alphabet": base64.urlsafe_b64encode(identity.sign(message(site, key))).decode().rstrip("="),
        "line break": sign(message(site, key)) + "\n",
    }
    return {
        "identity_private_key": identity.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption()).decode(),
        "identity": pem(identity.public_key()), "code": code(identity.public_key()),
        "fingerprint": hashlib.sha256(spki(identity.public_key())).hexdigest(),
        "rsa_key": pem(key), "rsa_code": code(key), "rsa_fingerprint": digest.hexdigest(),
        "verifies": [{"origin": o, "signature": sign(message(o, key))} for o in good],
        "does_not_verify": [{"why": why, "origin": site, "signature": s} for why, s in bad.items()],
    }


def load(path):
    with open(path, "rb") as f:
        return form.load_pem_public_key(f.read())


if sys.argv[1] == "make":
    print(json.dumps(make(), indent=1))
else:
    identity, key, origin = load(sys.argv[2]), load(sys.argv[3]), sys.argv[4]
    try:
        identity.verify(base64.b64decode(sys.stdin.read(), validate=True), message(origin, key))
    except (InvalidSignature, ValueError):
        sys.exit("does not verify")
