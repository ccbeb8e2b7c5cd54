import type { AgentKey, AgentSchema } from "../agent/schema";
import type { Schema } from "../api/client";
import type { Field, Slot } from "./types";

/** Sealed is a secret that only the registered agent can open. */
export type Sealed = string;

/** Kind says where a value stands in the vault. */
export type CandidateKind = "current" | "pending" | "superseded" | "factory";

/** Candidate is a value that the card may hold. */
export type Candidate = { kind: CandidateKind; value: Sealed };

/** Backend is what flows need of the server. All calls but startRotation may be repeated without harm. */
export type Backend = {
  registerAgent(key: AgentKey, hostname: string): Promise<void>;
  device(serial: string): Promise<Schema<"HWKey">>;
  secrets(serial: string, reason?: string): Promise<Schema<"SecretsAnswer">>;
  startRotation(serial: string, fields: Field[], pin?: string, reason?: string): Promise<Schema<"Rotation">>;
  commitRotation(serial: string, id: number, fields: Field[]): Promise<Schema<"HWKey">>;
  abortRotation(serial: string, id: number, fields: Field[]): Promise<Schema<"HWKey">>;
  /** version: that of the secrets that the candidates came with. */
  observe(
    serial: string,
    field: Field,
    matched: CandidateKind | "none",
    version: number | undefined,
  ): Promise<Schema<"HWKey">>;
  /** usableProfiles tells which slots a set-up of the token fills. */
  usableProfiles(serial: string): Promise<Schema<"UsableProfiles">>;
  /** kept: the SHA-256 of the slot's key, if it is known. What stands against that key is then told, too. */
  signingReadiness(serial: string, slot: Slot, kept?: string): Promise<Schema<"Readiness">>;
  signCsr(
    serial: string,
    slot: Slot,
    csr: AgentSchema<"GenerateCSRResult">,
    reason?: string,
    /** Another certificate, though the key has one. */
    renewal?: boolean,
  ): Promise<Schema<"SignedCertificate">>;
  deviceCertificates(serial: string): Promise<Schema<"Certificate">[]>;
  installed(serialNumber: string): Promise<void>;
  enrolled(serial: string, firmware: string): Promise<void>;
  /** removeOwner: it was returned, and goes back to stock. */
  reset(serial: string, reason?: string, removeOwner?: boolean): Promise<void>;
};

/** CsrRequest asks for a key and a request for it. */
type CsrRequest = {
  slot: Slot;
  pin: Sealed;
  managementKey: Sealed;
  subject: { common_name: string; email?: string };
  /** A new key takes the place of what is there. */
  overwrite: boolean;
  /** No new key. */
  reuseKey: boolean;
  /** How a new key is made; absent: as the token and the agent do by default. */
  newKey?: NewKey;
};

export type NewKey = { type?: KeyType; pinPolicy?: PinPolicy; touchPolicy?: TouchPolicy };

type Generate = AgentSchema<"GenerateCSRRequest">;
export type KeyType = NonNullable<Generate["key_type"]>;
export type PinPolicy = NonNullable<Generate["pin_policy"]>;
export type TouchPolicy = NonNullable<Generate["touch_policy"]>;

/** ImportRequest puts a certificate (PEM) beside its key. */
type ImportRequest = { slot: Slot; certificate: string; managementKey: Sealed; pin: Sealed };

/** Agent is what flows need of the agent of this computer. */
export type Agent = {
  wellKnown(): Promise<AgentSchema<"Status">>;
  publicKey(): Promise<AgentKey>;
  systemInfo(): Promise<AgentSchema<"System">>;
  /** attest: a slot whose key is found by attestation where the card's metadata does not tell it. */
  info(serial: string, attest?: Slot): Promise<AgentSchema<"PIVInfo">>;
  checkDefaults(serial: string): Promise<AgentSchema<"Defaults">>;
  probe(serial: string, field: Field, candidates: Sealed[]): Promise<AgentSchema<"ProbeResult">>;
  setPin(serial: string, current: Sealed, next: Sealed): Promise<void>;
  setPuk(serial: string, current: Sealed, next: Sealed): Promise<void>;
  unblockPin(serial: string, puk: Sealed, pin: Sealed): Promise<void>;
  setRetries(serial: string, managementKey: Sealed, pin: Sealed, tries: { pin: number; puk: number }): Promise<void>;
  rotateManagementKey(serial: string, current: Sealed, next: Sealed): Promise<void>;
  /** takeManagementKey replaces a key that another program keeps on the card under the PIN. */
  takeManagementKey(serial: string, pin: Sealed, next: Sealed): Promise<void>;
  generateCsr(serial: string, request: CsrRequest): Promise<AgentSchema<"GenerateCSRResult">>;
  importCertificate(serial: string, request: ImportRequest): Promise<void>;
  reset(serial: string): Promise<void>;
};
