#!/usr/bin/python3
"""Seals and opens as Keyward's agent and server do, written from the contract alone. Needs the package cryptography.

    sealed.py make > vectors.json                        a new key and ciphertexts for it
    sealed.py open KEY_FILE SERIAL FIELD < CIPHERTEXT    prints the plain text; exit code 1 if it does not open
"""
import base64, json, sys
from cryptography.hazmat.primitives import hashes, serialization as form
from cryptography.hazmat.primitives.asymmetric import padding, rsa


def oaep(serial, field, version=1):
    return padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), ("keyward/%d/%s/%s" % (version, serial, field)).encode())


def make():
    key = rsa.generate_private_key(public_exponent=65537, key_size=4096)
    def seal(plain, rule): return base64.b64encode(key.public_key().encrypt(plain.encode(), rule)).decode()
    good = [("20260001", "pin", "24681357"), ("20260001", "puk", "87654321"), ("Key-a", "pin", ""),
            ("0123456789abcdef", "management_key", "010203040506070801020304050607080102030405060708")]
    sha1 = padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), b"keyward/1/20260001/pin")
    bad = [("another serial", oaep("20260002", "pin")), ("another field", oaep("20260001", "puk")), ("another version", oaep("20260001", "pin", 2)),
           ("no label", padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)), ("SHA-1", sha1), ("PKCS #1 v1.5", padding.PKCS1v15())]
    return {
        "private_key": key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption()).decode(),
        "public_key": key.public_key().public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo).decode(),
        "opens": [{"serial": s, "field": f, "plain": p, "sealed": seal(p, oaep(s, f))} for s, f, p in good],
        "does_not_open": [{"why": why, "serial": "20260001", "field": "pin", "sealed": seal("24681357", rule)} for why, rule in bad],
    }


if sys.argv[1] == "make":
    print(json.dumps(make(), indent=1))
else:
    key = form.load_pem_private_key(open(sys.argv[2], "rb").read(), None)
    try:
        sys.stdout.write(key.decrypt(base64.b64decode(sys.stdin.read(), validate=True), oaep(*sys.argv[3:])).decode())
    except ValueError:
        sys.exit("does not open")
