import { constants, createHash, generateKeyPairSync, type KeyObject, privateDecrypt } from "node:crypto";
import { derOf } from "../../agent/seal";
import type { Schema } from "../../api/client";
import { Problem } from "../../api/problem";
import type { Agent, Backend, CsrRequest, Sealed } from "../ports";
import type { Certificate, Csr } from "../slot";
import { type Field, fields, type Slot } from "../types";
import { Card, factory, Refusal } from "./card";
import { request, spki } from "./der";
import { random } from "./random";
import { Vault } from "./vault";

// A simulator for tests: one token, the server and the agent. What the server
// seals is only marked, not encrypted; what the page seals is decrypted for real.

const serial = "12345678";
const marked = /^sealed:(pin|puk|management_key):(.*)$/;

let pair: { publicKey: string; privateKey: KeyObject } | undefined;

/** agentKey makes the agent's key once for all tests of a file. */
export function agentKey() {
  if (!pair) {
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 4096 });
    pair = { publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(), privateKey };
  }
  return pair;
}

type Record = { -readonly [K in keyof Certificate]: Certificate[K] };

/** World is a token, its vault document and its certificates, with the ports that flows use. */
export class World {
  readonly serial = serial;
  readonly card: Card;
  readonly vault: Vault;
  readonly records: Record[] = [];
  readonly #byRequest = new Map<string, Record>();
  enrolledAt: string | null = null;
  registered = "";
  ready = true;

  constructor(options: { seed?: number; tells?: boolean } = {}) {
    const next = random(options.seed ?? 1);
    const digit = () => Math.floor(next() * 10);
    const value = (field: Field) =>
      field === "management_key"
        ? Array.from({ length: 48 }, () => Math.floor(next() * 16).toString(16)).join("")
        : `${Array.from({ length: 7 }, digit).join("")}9`;
    this.card = new Card(options.tells ?? true);
    this.vault = new Vault(value);
  }

  #seal(field: Field, value: string): Sealed {
    return `sealed:${field}:${value}`;
  }

  /** open is the agent's: a secret opens for its own field only. */
  open(field: Field, sealed: Sealed): string {
    const found = marked.exec(sealed);
    if (found) {
      if (found[1] !== field) throw new Refusal("decrypt_failed");
      return found[2] ?? "";
    }
    const key = agentKey().privateKey;
    const oaepLabel = Buffer.from(`keyward/1/${serial}/${field}`);
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    return privateDecrypt({ key, oaepHash: "sha256", oaepLabel, padding }, Buffer.from(sealed, "base64")).toString();
  }

  #values(of: readonly Field[], pick: (f: Field) => string): Partial<{ [F in Field]: Sealed }> {
    return Object.fromEntries(of.filter((f) => pick(f)).map((f) => [f, this.#seal(f, pick(f))]));
  }

  #device(): Schema<"HWKey"> {
    return {
      serial,
      label: "",
      model: "",
      firmware_version: "",
      form_factor: "",
      status: this.enrolledAt ? "active" : "assigned",
      next_statuses: [],
      owner: { id: 1, username: "alice" },
      organization_id: null,
      organization_name: "",
      registered_at: "2026-01-01T00:00:00Z",
      enrolled_at: this.enrolledAt,
      last_seen_at: null,
      secrets: { version: this.vault.version, rotation_pending: this.vault.rotation !== null, changed_at: null },
      certificates: [],
    };
  }

  readonly backend: Backend = {
    registerAgent: async (publicKey) => {
      this.registered = publicKey;
    },
    device: async () => this.#device(),
    secrets: async () => {
      if (!this.registered) throw new Refusal("agent_not_registered");
      const { values, rotation } = this.vault;
      const sealed = (f: Field) => this.vault.candidates(f).map((c) => ({ ...c, value: this.#seal(f, c.value) }));
      return {
        encrypted: true,
        version: this.vault.version,
        ...this.#values(fields, (f) => values[f].current),
        ...(rotation
          ? { pending: { rotation_id: rotation.id, ...this.#values(rotation.fields, (f) => values[f].pending) } }
          : {}),
        candidates: Object.fromEntries(fields.map((f) => [f, sealed(f)])),
        doubted: fields.filter((f) => values[f].fruitless > 0),
      };
    },
    startRotation: async (_serial, of, pin) => {
      const { id } = this.vault.wrote(() => this.vault.start(of, pin));
      const { values } = this.vault;
      return {
        id,
        fields: of,
        current: this.#values(of, (f) => values[f].current),
        next: this.#values(of, (f) => values[f].pending),
        created_at: "2026-01-01T00:00:00Z",
        version: this.vault.version,
      };
    },
    commitRotation: async (_serial, id, of) => {
      this.vault.wrote(() => this.vault.settle(id, of, "pending"));
      return this.#device();
    },
    abortRotation: async (_serial, id, of) => {
      this.vault.wrote(() => this.vault.settle(id, of, "current"));
      return this.#device();
    },
    observe: async (_serial, field, matched, version) => {
      this.vault.wrote(() => this.vault.observe(field, matched), version);
      return this.#device();
    },
    signingReadiness: async () => ({
      ready: this.ready,
      reasons: this.ready ? [] : ["owner_missing"],
      subject: { common_name: "alice", email: "alice@example.org" },
    }),
    signCsr: async (_serial, slot, csr) => this.#sign(slot, csr),
    deviceCertificates: async () => this.records.map((r) => ({ ...r })),
    installed: async (serialNumber) => this.#installed(serialNumber),
    enrolled: async () => {
      this.vault.wrote(() => this.vault.enrolled());
      this.enrolledAt = "2026-01-02T00:00:00Z";
    },
    reset: async () => {
      this.vault.wrote(() => this.vault.reset());
      this.enrolledAt = null;
      for (const r of this.records) if (r.status === "issued") r.status = "revoked";
    },
  };

  #sign(slot: Slot, { csr }: Csr) {
    const known = this.#byRequest.get(slot + csr);
    const record = known?.status === "issued" ? known : this.#issue(slot, csr);
    const certificate = `certificate ${record.serial_number}`;
    return { ...record, certificate, chain: [] };
  }

  #issue(slot: Slot, csr: string): Record {
    const der = derOf(csr);
    // The key is the element of 290-odd bytes that every model request holds.
    const at = Buffer.from(der).indexOf(Buffer.from(spki(0).slice(0, 10)));
    const key = der.slice(at, at + spki(0).length);
    const record: Record = {
      serial_number: (this.records.length + 1).toString(16).padStart(4, "0"),
      hwkey_serial: serial,
      slot,
      subject: "CN=alice",
      common_name: "alice",
      sans: [],
      issuer: "CN=Keyward",
      not_before: "2026-01-01T00:00:00Z",
      not_after: "2027-01-01T00:00:00Z",
      key_algorithm: "RSA2048",
      public_key_sha256: createHash("sha256").update(key).digest("hex"),
      status: "issued",
      revoked_at: null,
      revocation_reason: null,
      issued_by: "alice",
      installed_at: null,
      attested: false,
      owner: { id: 1, username: "alice" },
    };
    this.records.unshift(record);
    this.#byRequest.set(slot + csr, record);
    return record;
  }

  #installed(serialNumber: string): void {
    const found = this.records.find((r) => r.serial_number === serialNumber);
    if (!found) throw new Refusal("not_found");
    found.installed_at ??= "2026-01-02T00:00:00Z";
    for (const r of this.records) {
      const before = r.slot === found.slot && r.serial_number < found.serial_number;
      if (before && r.status === "issued") r.status = "revoked";
    }
  }

  readonly agent: Agent = {
    wellKnown: async () => ({ status: "ok", version: "dev" }),
    publicKey: async () => agentKey().publicKey,
    systemInfo: async () => ({
      hostname: "desk",
      os: "linux",
      arch: "x",
      agent_version: "dev",
      tool: "model",
      tool_version: "1",
    }),
    info: async (_serial, attest) => ({
      serial,
      version: this.card.tells ? "5.4.3" : "5.2.4",
      pin_retries: this.card.left.pin,
      puk_retries: this.card.tells ? this.card.left.puk : null,
      management_key_algorithm: "TDES",
      slots: [...this.card.slots].map(([slot, { key, certificate }]) => {
        const told = this.card.tells || (slot === attest && key.made);
        return {
          slot: slot as Slot,
          key_algorithm: told || certificate ? key.algorithm : null,
          public_key_sha256: told ? keyHash(key.id) : null,
          pin_policy: null,
          touch_policy: null,
          certificate: certificate ? this.#shown(certificate.serialNumber) : null,
        };
      }),
    }),
    checkDefaults: async () => {
      const told = (f: Field) => (this.card.tells ? this.card.held[f] === factory[f] : null);
      return { pin_default: told("pin"), puk_default: told("puk"), management_key_default: told("management_key") };
    },
    probe: async (_serial, field, list) => this.#probe(field, list),
    setPin: async (_serial, from, to) => this.card.change("pin", this.open("pin", from), this.open("pin", to)),
    setPuk: async (_serial, from, to) => this.card.change("puk", this.open("puk", from), this.open("puk", to)),
    unblockPin: async (_serial, puk, pin) => this.card.unblock(this.open("puk", puk), this.open("pin", pin)),
    setRetries: async (_serial, key, pin) =>
      this.card.setRetries(this.open("management_key", key), this.open("pin", pin)),
    rotateManagementKey: async (_serial, from, to) =>
      this.card.change("management_key", this.open("management_key", from), this.open("management_key", to)),
    generateCsr: async (_serial, r) => this.#csr(r),
    importCertificate: async (_serial, r) => {
      this.card.authenticate(this.open("management_key", r.managementKey));
      const slot = this.card.slots.get(r.slot);
      if (!slot) throw new Refusal("conflict");
      const serialNumber = r.certificate.slice("certificate ".length);
      if (this.#keyOf(serialNumber) !== keyHash(slot.key.id)) throw new Refusal("invalid_request");
      slot.certificate = { serialNumber };
    },
    reset: async () => this.card.reset(),
  };

  /** #keyOf is the key that a certificate is for; a foreign one is for some other. */
  #keyOf(serialNumber: string): string {
    return this.records.find((r) => r.serial_number === serialNumber)?.public_key_sha256 ?? keyHash(0);
  }

  #shown(serialNumber: string) {
    return {
      subject: "CN=alice",
      issuer: "CN=Keyward",
      serial_number: serialNumber,
      not_before: "2026-01-01T00:00:00Z",
      not_after: "2027-01-01T00:00:00Z",
      public_key_sha256: this.#keyOf(serialNumber),
    };
  }

  #probe(field: Field, list: Sealed[]) {
    let left: number | null = null;
    for (const [i, sealed] of list.entries()) {
      const value = this.open(field, sealed);
      if (field === "management_key") {
        if (value === this.card.held.management_key) return { match: i, tried: i + 1, retries_left: null };
        continue;
      }
      if (i > 0 && !this.card.tells) return { match: null, tried: i, retries_left: left };
      const known = field === "pin" || this.card.tells;
      if (this.card.left[field] === 0) throw new Refusal(`${field}_blocked`, { retries_left: 0 });
      if (known && this.card.left[field] < 2) throw new Refusal("retries_low", { retries_left: 1 });
      try {
        this.card.enter(field, value);
        return { match: i, tried: i + 1, retries_left: 3 };
      } catch {
        left = this.card.left[field];
      }
    }
    return { match: null, tried: list.length, retries_left: left };
  }

  #csr(r: CsrRequest): Csr {
    const held = this.card.slots.get(r.slot);
    const key = r.reuseKey
      ? held?.key
      : this.card.make(r.slot, this.open("management_key", r.managementKey), r.overwrite);
    if (!key) throw new Refusal("conflict");
    this.card.enter("pin", this.open("pin", r.pin));
    const csr = request(spki(key.id), r.subject.common_name);
    return { csr, attestation: key.made ? ["attestation"] : [], public_key_sha256: keyHash(key.id) };
  }
}

/** keyHash names a model key as certificate records do. */
export function keyHash(id: number): string {
  return createHash("sha256").update(spki(id)).digest("hex");
}

/** problem is how a refusal reaches the page. */
export function problem(error: unknown): unknown {
  return error instanceof Refusal ? new Problem(422, { code: error.code, detail: error.code, ...error.extra }) : error;
}
