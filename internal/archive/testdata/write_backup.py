#!/usr/bin/python3
"""Writes Keyward backups, good and bad, to judge Keyward's reader. Written from docs/backup-format.md.

    write_backup.py file < JSON > FILE         JSON: {password, header, database_sql, vault_secrets}
    write_backup.py vectors > vectors.json     files with what each is expected to be
    write_backup.py example > FILE             that of docs/backup-format.md

Needs what read_backup.py beside it needs.
"""
import base64, gzip, hashlib, json, os, struct, sys, zlib
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from read_backup import derive


def seal(plain, key, nonce): return AESGCM(key).encrypt(nonce, plain, None)


def file(outer, salt, nonce, sealed, magic=b"KEYWARD_BACKUP_V1", checksum=None):
    outer = outer if isinstance(outer, bytes) else json.dumps(
        {**outer, "checksum": checksum or hashlib.sha256(sealed).hexdigest()}).encode()
    return magic + struct.pack(">I", len(outer)) + outer + salt + nonce + sealed


def inner(header):
    return {{"includes_audit": "includes_audit_logs"}.get(k, k): v for k, v in header.items()}


HEADER = {"version": 1, "created_at": "2026-11-22T02:00:00Z", "backup_type": "full", "includes_db": True, "includes_kv": True,
          "includes_audit": True}
SQL = "INSERT INTO users VALUES (1,'Zoë \"Z\" \\ 🔑\t');\r\n\x00\x1f-- \u2028\n"
SECRETS = {"12345678/secrets": {"pin": "24681357", "n": 10 ** 20, "x": [None, {"é": "\u007f"}]}, "_pki/ca": {}}
PASSWORD = "correct horse battery"


def vectors():
    salt, nonce = bytes(range(32)), bytes(range(100, 112))
    key = derive(PASSWORD, salt)
    out = []

    def add(why, data, code="", reason="", password=PASSWORD, sql=SQL, secrets=SECRETS):
        v = {"why": why, "file": base64.b64encode(data).decode(), "password": password}
        out.append({**v, "code": code, "reason": reason} if code else {**v, "database_sql": sql, "vault_secrets": secrets})

    def pack(payload):
        return gzip.compress(payload if isinstance(payload, bytes) else json.dumps(payload).encode(), mtime=0)

    def made(payload, outer=HEADER, packed=None):
        return file(outer, salt, nonce, seal(packed or pack(payload), key, nonce))

    good = {"header": inner(HEADER), "database_sql": SQL, "vault_secrets": SECRETS}
    whole = made(good)
    head = len(whole) - len(seal(pack(good), key, nonce))

    # What opens.
    add("escaped, as Python does", whole)
    add("not escaped", made(json.dumps(good, ensure_ascii=False).encode()))
    add("with space", made(json.dumps(good, indent="\t").encode() + b" \r\n\t"))
    add("the other way round", made(dict(reversed(good.items()))))
    add("names escaped", made(json.dumps(good).replace('"header"', '"h\\u0065ader"').encode()))
    add("time of another zone and with a fraction", made(
        {**good, "header": {**inner(HEADER), "created_at": "2026-11-22T03:00:00.000000+01:00"}}))
    add("not packed any smaller, and named", made(good, packed=gzip_named(json.dumps(good).encode())))
    database = {**HEADER, "backup_type": "database", "includes_kv": False, "includes_audit": False}
    add("database alone", made({**good, "header": inner(database), "vault_secrets": {}}, database), secrets={})
    add("database alone, the other null", made({**good, "header": inner(database), "vault_secrets": None}, database), secrets={})
    add("database alone, the other absent", made({"header": inner(database), "database_sql": SQL}, database), secrets={})
    vault = {**HEADER, "backup_type": "vault", "includes_db": False, "includes_audit": False}
    add("vault alone", made({**good, "header": inner(vault), "database_sql": ""}, vault), sql="")
    add("vault alone, the other null", made({**good, "header": inner(vault), "database_sql": None}, vault), sql="")
    add("empty", made({**good, "database_sql": "", "vault_secrets": {}}), sql="", secrets={})
    composed = "Zoë's long pässword"
    key_of = derive(composed, salt)
    add("password in other code points", file(HEADER, salt, nonce, seal(pack(good), key_of, nonce)),
        password="Zoe\u0308's\u00a0long pa\u0308ssword")

    # What is no backup, or not all of one.
    add("another file", b"PK\x03\x04" + bytes(400), "not_a_backup")
    add("another program's", b"OTHERXX_BACKUP_V1" + whole[17:], "not_a_backup")
    add("version 0", b"KEYWARD_BACKUP_V0" + whole[17:], "not_a_backup")
    add("version 2", b"KEYWARD_BACKUP_V2" + whole[17:], "backup_newer")
    add("header of version 2", made(good, {**HEADER, "version": 2, "compression": "zstd"}), "backup_newer")
    add("nothing", b"", "backup_truncated")
    for where, n in {"magic": 9, "header length": 19, "header": 60, "salt": head - 20, "nonce": head - 3, "tag": head + 16}.items():
        add("ends at the " + where, whole[:n], "backup_truncated")
    add("ends in the middle", whole[:(len(whole) + head) // 2], "backup_corrupt", "checksum")
    add("lacks the last byte", whole[:-1], "backup_corrupt", "checksum")
    add("one byte too many", whole + b"\0", "backup_corrupt", "checksum")
    for where, n in {"first byte": head, "last byte of the ciphertext": len(whole) - 17, "tag": len(whole) - 1}.items():
        add("a bit flipped in the " + where, whole[:n] + bytes([whole[n] ^ 1]) + whole[n + 1:], "backup_corrupt", "checksum")

    # Headers in front.
    for why, n in {"no header": 0, "header too long": 65537, "header longer than any file": 0xffffffff}.items():
        add(why, whole[:17] + struct.pack(">I", n) + whole[21:], "backup_corrupt", "header")
    add("header of the most bytes, and spaces", made(good, padded(whole, head)))
    text = whole[21:head - 44].decode()
    for why, other in {
        "no JSON": "{" + text, "no object": "[" + text + "]", "two": text + "{}", "not UTF-8": text.replace("full", "fu\udcff"),
        "a name twice": text.replace("{", '{"version": 1, ', 1), "a time in words": text.replace("00Z", "00 o'clock"),
        "version 0": text.replace('"version": 1', '"version": 0'), "version a text": text.replace('"version": 1', '"version": "1"'),
        "version 1.5": text.replace('"version": 1', '"version": 1.5'), "no checksum": text.replace('"checksum"', '"Checksum"'),
        "no version": text.replace('"version": 1, ', ""), "null": text.replace('"full"', "null"),
        "checksum too long": text.replace('"}', '0"}', 1),
        "unknown type": text.replace("full", "partial"), "type without what it includes": text.replace('_kv": true', '_kv": false'),
    }.items():
        other = other.encode("utf-8", "surrogateescape")
        add("header: " + why, whole[:17] + struct.pack(">I", len(other)) + other + whole[head - 44:], "backup_corrupt", "header")
    for why, other in {
        "an unknown member": text.replace("{", '{"key_id": 1, ', 1), "a time without its zone": text.replace("00Z", "00"),
        "a time in another zone": text.replace("02:00:00Z", "03:00:00.000+01:00"), "checksum in capitals": text[:-66] + text[-66:].upper(),
        "a time without its zone, and a space": text.replace("T02:00:00Z", " 02:00:00.0"),
    }.items():
        add("header: " + why, whole[:17] + struct.pack(">I", len(other)) + other.encode() + whole[head - 44:])
    add("payload: header with an unknown member", made({**good, "header": {**inner(HEADER), "generator": "x"}}))
    for field, other in {"created_at": "2026-11-23T02:00:00Z", "backup_type": "database", "includes_audit": False}.items():
        changed = {**HEADER, field: other, "includes_kv": field != "backup_type"}
        add("another " + field + " in front", made(good, changed), "backup_corrupt", "headers_differ")

    # Passwords.
    add("another password", whole, "backup_password_wrong", password="Correct horse battery")
    add("no password", whole, "backup_password_wrong", password="")
    for where, n in {"salt": head - 44, "nonce": head - 1}.items():
        add("a bit flipped in the " + where, whole[:n] + bytes([whole[n] ^ 1]) + whole[n + 1:], "backup_password_wrong")
    add("checksum right, tag of another key", file(HEADER, salt, nonce, seal(pack(good), bytes(32), nonce)), "backup_password_wrong")

    # Payloads that were encrypted like this.
    def bad(why, payload=None, packed=None, outer=HEADER):
        add("payload: " + why, made(payload, outer, packed), "backup_corrupt", "payload")

    text = json.dumps(good)
    bad("not packed", packed=text.encode())
    bad("packed by zlib", packed=zlib.compress(text.encode()))
    bad("half of it", packed=pack(good)[:-40])
    bad("another sum of gzip", packed=pack(good)[:-8] + bytes(8))
    bad("data after gzip", packed=pack(good) + b"\0")
    bad("two gzip members", packed=pack(good) + pack(b" "))
    for name in good:
        bad(name + " twice", text[:-1].encode() + (", %s: %s}" % (json.dumps(name), json.dumps(good[name]))).encode())
        bad("no " + name, {k: v for k, v in good.items() if k != name})
        bad(name + " a number", {**good, name: 1})
        bad(name + " null", {**good, name: None})
    bad("nothing", b"")
    bad("an array", [good])
    bad("an empty object", {})
    bad("an unknown member", {**good, "notes": ""})
    bad("a long name", {**good, "x" * 100000: ""})
    bad("half of the JSON", text[:len(text) // 2].encode())
    bad("JSON after it", (text + "{}").encode())
    bad("a comma at its end", (text[:-1] + ",}").encode())
    bad("not UTF-8 in the SQL", text.replace("INSERT", "INSERT\udcff").encode("utf-8", "surrogateescape"))
    bad("a line break in the SQL", text.replace("INSERT", "INSERT\n").encode())
    bad("half a surrogate in the SQL", text.replace("INSERT", "\\ud83d!").encode())
    bad("an unknown escape in the SQL", text.replace("INSERT", "\\x41").encode())
    bad("a path twice", text.replace('"_pki/ca"', '"12345678/secrets"').encode())
    bad("a field twice", text.replace('"n": ', '"pin": ').encode())
    bad("an empty path", {**good, "vault_secrets": {"": {}}})
    bad("a secret that is a text", {**good, "vault_secrets": {"a/secrets": "x"}})
    bad("a secret of more than 1 MiB", {**good, "vault_secrets": {"a/secrets": {"x": "0" * (1 << 20)}}})
    bad("a secret of more than 2 MiB", {**good, "vault_secrets": {"a/secrets": {"x": "0" * (3 << 20)}}})
    bad("secrets nested too deeply", text.replace('"x": [', '"x": [' + "[" * 20000).encode())
    bad("SQL that the header does not name", {**good, "header": inner(vault)}, outer=vault)
    bad("secrets that the header does not name", {**good, "header": inner(database)}, outer=database)
    bad("header of version 2", {**good, "header": {**inner(HEADER), "version": 2}})
    bad("header with the name of the one in front", {**good, "header": HEADER})
    bad("header lacks a member", {**good, "header": {k: v for k, v in inner(HEADER).items() if k != "includes_kv"}})
    return out


def gzip_named(data):
    packer = zlib.compressobj(0, zlib.DEFLATED, -15)
    return (b"\x1f\x8b\x08\x08\0\0\0\0\0\xffpayload.json\0" + packer.compress(data) + packer.flush() +
            struct.pack("<II", zlib.crc32(data), len(data)))


def padded(whole, head):
    text = whole[21:head - 44]
    return text + b" " * (65536 - len(text))


def example():
    header = {"version": 1, "created_at": "2026-11-22T02:00:00Z", "backup_type": "database", "includes_db": True, "includes_kv": False,
              "includes_audit": False}
    payload = {"header": inner(header), "database_sql": "INSERT INTO t VALUES ('é');\n", "vault_secrets": {}}
    salt, nonce = bytes(range(32)), bytes(range(100, 112))
    packed = gzip.compress(json.dumps(payload, separators=(",", ":")).encode(), mtime=0)
    return file(header, salt, nonce, seal(packed, derive(PASSWORD, salt), nonce))


if sys.argv[1] == "vectors":
    json.dump(vectors(), sys.stdout, indent=0)
    print()
elif sys.argv[1] == "example":
    sys.stdout.buffer.write(example())
else:
    asked = json.load(sys.stdin)
    salt, nonce = os.urandom(32), os.urandom(12)
    payload = {"header": inner(asked["header"]), "database_sql": asked["database_sql"], "vault_secrets": asked["vault_secrets"]}
    packed = gzip.compress(json.dumps(payload).encode())
    sys.stdout.buffer.write(file(asked["header"], salt, nonce, seal(packed, derive(asked["password"], salt), nonce)))
