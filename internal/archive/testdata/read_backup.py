#!/usr/bin/python3
"""Reads a Keyward backup: prints its header and its payload as JSON. Written from docs/backup-format.md.

    read_backup.py FILE < PASSWORD

Needs the packages cryptography and argon2 (Debian: python3-cryptography, python3-argon2), and memory for all of it.
"""
import gzip, hashlib, json, struct, sys, unicodedata
from argon2.low_level import Type, hash_secret_raw
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM


def normal(password):
    spaces = "".join(" " if unicodedata.category(c) == "Zs" else c for c in password)
    return unicodedata.normalize("NFC", spaces).encode()


def derive(password, salt):
    return hash_secret_raw(normal(password), salt, time_cost=3, memory_cost=64 * 1024, parallelism=4, hash_len=32, type=Type.ID)


def once(pairs):
    if len(dict(pairs)) != len(pairs):
        sys.exit("a JSON object has a name twice")
    return dict(pairs)


def read(data, password):
    if data[:17] != b"KEYWARD_BACKUP_V1":
        sys.exit("not a Keyward backup of version 1")
    (length,) = struct.unpack(">I", data[17:21])
    if not 0 < length <= 65536 or len(data) <= 21 + length + 32 + 12 + 16:
        sys.exit("damaged or cut short")
    header = json.loads(data[21:21 + length], object_pairs_hook=once)
    salt, nonce, sealed = data[21 + length:53 + length], data[53 + length:65 + length], data[65 + length:]
    if hashlib.sha256(sealed).hexdigest() != header["checksum"].lower():
        sys.exit("damaged or cut short: the checksum doesn't match")
    try:
        plain = AESGCM(derive(password, salt)).decrypt(nonce, sealed, None)
    except InvalidTag:
        sys.exit("the password is wrong")
    payload = json.loads(gzip.decompress(plain), object_pairs_hook=once)
    for name, theirs in payload["header"].items():
        if header[{"includes_audit_logs": "includes_audit"}.get(name, name)] != theirs:
            sys.exit("somebody changed the header: " + name)
    return header, payload


if __name__ == "__main__":
    header, payload = read(open(sys.argv[1], "rb").read(), sys.stdin.read().rstrip("\n"))
    json.dump({"file_header": header, **payload}, sys.stdout, indent=1)
