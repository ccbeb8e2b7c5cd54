#!/usr/bin/python3
"""Verifies the audit log of a Keyward database. Written from docs/audit.md, to judge Keyward's own verifier.

    verify.py DATABASE SEAL     SEAL: a copy of GET /api/admin/audit/seal

Exit code 0: the log is what was signed, up to the copy's head at least. Needs the package cryptography.
"""
import base64, hashlib, json, re, sqlite3, struct, sys
from datetime import datetime, timedelta, timezone
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def I(n): return struct.pack(">q", n)
def O(n): return b"\0" if n is None else b"\1" + I(n)
def T(s): return struct.pack(">I", len(s.encode(*RAW))) + s.encode(*RAW)
def sha(b): return hashlib.sha256(b).digest()


RAW = "utf-8", "surrogateescape"  # texts as they are stored, also those that are no UTF-8
ENTRY = {"id": I, "at": I, "action": T, "outcome": T, "actor_id": O, "actor": T, "organization_id": O, "target_type": T,
         "target_id": T, "hostname": T, "ip_address": T, "request_id": T, "reason": T, "details": T, "file_name": T,
         "backup_type": T, "duration_ms": O, "size_bytes": O}
BATCH = {"id": I, "segment": I, "first_id": I, "last_id": I, "entry_count": I, "previous_hash": T, "hash": T, "link": T,
         "leaves": T, "sealed_at": I, "key_id": T}
HEAD = {"segment": I, "batch": I, "last_sealed_id": I, "sealed_at": lambda at: I(micros(at)), "hash": T}


def message(form, row): return b"".join(form[name](row[name]) for name in form)
def encode(entry): return b"\1" + message(ENTRY, entry)
def start(segment, link): return sha(T("keyward audit segment 1") + I(segment) + T(link))
def batch_message(batch): return T("keyward audit batch 1") + message(BATCH, batch)
def head_message(head): return T("keyward audit head 1") + message(HEAD, head)
def key_id(public): return sha(public)[:8].hex()


def micros(text):
    whole, fraction = re.fullmatch(r"(.{19})(?:\.(\d{1,6}))?Z", text).groups()
    seconds = datetime.fromisoformat(whole).replace(tzinfo=timezone.utc) - datetime(1970, 1, 1, tzinfo=timezone.utc)
    return seconds // timedelta(microseconds=1) + int((fraction or "").ljust(6, "0"))


def leaves(entries, after):
    out = b""
    for entry in entries:
        distance, after = entry["id"] - after, entry["id"]
        while distance > 127:
            out, distance = out + bytes([distance & 127 | 128]), distance >> 7
        out += bytes([distance]) + sha(encode(entry))[:16]
    return base64.b64encode(out).decode()


def demand(fact, what):
    if not fact:
        raise ValueError(what)


def verify(db, seal):
    publics = [bytes.fromhex(key) for key in (seal.get("former_public_keys") or []) + [seal["public_key"]]]
    places = {key_id(public): place for place, public in enumerate(publics)}
    def signed(row, text): Ed25519PublicKey.from_public_bytes(publics[places[row["key_id"]]]).verify(bytes.fromhex(row["signature"]), text)
    signed(seal, head_message(seal))
    last, running, known, place = {"id": 0, "segment": 1, "last_id": 0}, start(1, ""), False, 0
    for batch in db.execute("SELECT * FROM audit_batches ORDER BY id").fetchall():
        what, link = f"batch {batch['id']}", batch["link"] and json.loads(batch["link"])
        signed(batch, batch_message(batch))
        demand(places[batch["key_id"]] == place or link or not last["id"], what)
        demand(batch["previous_hash"] == running.hex(), what)
        place = places[batch["key_id"]]
        lower = last["last_id"] if last["id"] else -2**63
        entries = db.execute("SELECT * FROM audit_entries WHERE id > ? AND id <= ? ORDER BY id", (lower, batch["last_id"])).fetchall()
        if link:
            demand(batch["segment"] > last["segment"] and batch["id"] > last["id"] and not entries, what)
            for head in filter(None, link.values()):
                signed(head, head_message(head))
            replaced = link["database"] or {"batch": 0, "hash": running.hex()}
            demand(replaced["batch"] == last["id"] and replaced["hash"] == running.hex(), what)
            running = start(batch["segment"], batch["link"])
        else:
            demand(batch["segment"] == last["segment"] and batch["id"] == last["id"] + 1 and entries, what)
            demand((batch["first_id"], batch["last_id"]) == (entries[0]["id"], entries[-1]["id"]), what)
        demand(batch["entry_count"] == len(entries) <= 1000 and batch["leaves"] == leaves(entries, last["last_id"]), what)
        for entry in entries:
            running = sha(running + sha(encode(entry)))
        demand(running.hex() == batch["hash"], what)
        known = known or (batch["id"], batch["hash"]) == (seal["batch"], seal["hash"]) or bool(link) and link["vault"] is not None and (
            link["vault"]["signature"] == seal["signature"])
        last = batch
    demand(place == len(publics) - 1 or not last["id"], "the end is sealed with a former key")
    demand(known, "the head is of no batch: the end of the log is missing")
    return last["last_id"]


if __name__ == "__main__":
    database = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
    database.row_factory = sqlite3.Row
    database.text_factory = lambda raw: raw.decode(*RAW)
    try:
        print("ok last_sealed_id=%d" % verify(database, json.load(open(sys.argv[2]))))
    except (ValueError, TypeError, AttributeError, KeyError, struct.error, InvalidSignature) as error:
        sys.exit("the log does not hold: " + (str(error) or "a signature does not fit"))
