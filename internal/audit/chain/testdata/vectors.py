#!/usr/bin/python3
"""Writes vectors.json: entries, their bytes and hashes, sealed batches and the head. No line of it comes from Keyward.

    /usr/bin/python3 vectors.py > vectors.json
"""
import json
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
import verify as v

SEED = bytes(range(32))
PRIVATE = Ed25519PrivateKey.from_private_bytes(SEED)
PUBLIC = PRIVATE.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
BLANK = {name: None if form is v.O else "" for name, form in v.ENTRY.items()}
AT = 1767225600000000  # 2026-01-01T00:00:00Z

ENTRIES = [BLANK | {"id": i + 1, "outcome": "success"} | e for i, e in enumerate([
    {"at": AT + 1, "action": "auth.login", "actor_id": 1, "actor": "admin", "target_type": "user", "target_id": "1",
     "ip_address": "192.0.2.1", "request_id": "r1", "size_bytes": -2},
    {"at": AT + 2, "action": "hwkey.secrets_released", "actor_id": 2, "actor": "Zoë", "organization_id": 7, "target_type": "hwkey",
     "target_id": "20260001", "hostname": "ws-1", "ip_address": "2001:db8::1", "request_id": "r2", "reason": "PIN forgotten, ticket 4711",
     "details": "fields pin; agent key 00"},
    {"at": AT - 5, "action": "permission.denied", "outcome": "denied", "actor": "api-key:ci", "organization_id": 2**63 - 1},
    {"at": AT + 3, "action": "backup.completed", "actor": "system", "details": "line\nand \0 and \U0001f511", "file_name": "f.enc",
     "backup_type": "full", "duration_ms": 0, "size_bytes": 2**40},
    {"at": -1, "action": "x.y", "outcome": "failure", "actor": "", "reason": "=1+1", "duration_ms": -(2**63)},
])]


def rfc3339(micros):
    """of a whole second or with all six digits: no vector ends in a zero"""
    whole, rest = divmod(micros - AT, 10**6)
    return "2026-01-01T00:%02d:%02d" % divmod(whole, 60) + (".%06d" % rest if rest else "") + "Z"


def sign(message): return PRIVATE.sign(message).hex()


def batch(id, segment, entries, before, last_id, sealed_at, link=""):
    running = v.start(segment, link) if link else before
    for e in entries:
        running = v.sha(running + v.sha(v.encode(e)))
    b = {"id": id, "segment": segment, "first_id": entries[0]["id"] if entries else last_id, "last_id": entries[-1]["id"] if entries else last_id,
         "entry_count": len(entries), "previous_hash": before.hex(), "hash": running.hex(), "link": link, "leaves": v.leaves(entries, last_id),
         "sealed_at": sealed_at, "key_id": v.key_id(PUBLIC)}
    return b | {"signature": sign(v.batch_message(b))}


def head(b):
    h = {"segment": b["segment"], "batch": b["id"], "last_sealed_id": b["last_id"], "sealed_at": rfc3339(b["sealed_at"]), "hash": b["hash"],
         "key_id": b["key_id"]}
    return h | {"signature": sign(v.head_message(h))}


zero = v.start(1, "")
first = batch(1, 1, ENTRIES[:3], zero, 0, AT + 60_000_001)
second = batch(2, 1, ENTRIES[3:4], bytes.fromhex(first["hash"]), 3, AT + 120_000_000)
both = json.dumps({"database": head(second), "vault": head(second)}, separators=(",", ":"))
third = batch(3, 2, [], bytes.fromhex(second["hash"]), 4, AT + 180_123_456, both)
fourth = batch(4, 2, ENTRIES[4:], bytes.fromhex(third["hash"]), 4, AT + 240_000_009)
print(json.dumps({
    "private_key": SEED.hex(), "public_key": PUBLIC.hex(), "start": zero.hex(),
    "entries": [{"entry": e, "encoded": v.encode(e).hex(), "leaf": v.sha(v.encode(e)).hex()} for e in ENTRIES],
    "batches": [first, second, third, fourth], "head": head(fourth),
}, indent=1, ensure_ascii=True))
