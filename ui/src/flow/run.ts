import { agent } from "../agent/client";
import type { AgentSchema } from "../agent/schema";
import type { Schema } from "../api/client";
import { isProblem, Unreachable } from "../api/problem";
import { backend } from "./backend";
import { usualKeyType } from "./otherkey";
import type { Agent, Backend, Candidate, CandidateKind, Sealed } from "./ports";
import { stageOf } from "./stages";
import {
  type Field,
  type Kind,
  type Options,
  Outcome,
  type Question,
  type Result,
  type Slot,
  type Step,
} from "./types";

type Pending = NonNullable<Schema<"SecretsAnswer">["pending"]>;

/** Run is one attempt of a flow: what vault and card said, and what was proven since. */
export class Run {
  readonly kind: Kind;
  readonly serial: string;
  slot: Slot;
  /** The slot is one of a plan, and is being filled. */
  planned = false;
  readonly options: Options;
  readonly backend: Backend;
  readonly agent: Agent;

  #device: Schema<"HWKey"> | undefined;
  #secrets: Schema<"SecretsAnswer"> | undefined;
  #info: AgentSchema<"PIVInfo"> | undefined;
  #defaults: AgentSchema<"Defaults"> | undefined;
  /** PEM. */
  agentKey = "";
  /** The person's answer to the question about factory values. */
  fresh: boolean | undefined;
  /** The slot's key is never certified again. */
  compromised = false;
  /** How the slot's profile wants a new key; empty: any. */
  wanted = { type: usualKeyType, pinPolicy: "", touchPolicy: "" };

  /** What the card held when this attempt first looked. */
  readonly held = new Map<Field, Candidate>();
  readonly #proven = new Map<Field, Sealed>();

  constructor(kind: Kind, options: Options) {
    this.kind = kind;
    this.serial = options.serial;
    this.slot = options.slot ?? "9a";
    this.options = options;
    this.backend = backend;
    this.agent = agent;
  }

  get device() {
    return there(this.#device);
  }
  get secrets() {
    return there(this.#secrets);
  }
  get info() {
    return there(this.#info);
  }
  get defaults() {
    return there(this.#defaults);
  }

  /** tell says what comes next. It is also where a flow that the person cancelled stops. */
  tell(step: Step, more: { field?: Field; touch?: boolean } = {}): void {
    this.options.signal?.throwIfAborted();
    const slot = this.planned ? { slot: this.slot } : {};
    this.options.progress?.({ step, stage: stageOf(this.kind, step, more.field), ...slot, ...more });
  }

  async ask(question: Question): Promise<boolean> {
    return (await this.options.confirm?.(question)) ?? false;
  }

  /** begin registers the agent with the session and reads vault and card. */
  async begin(): Promise<void> {
    this.tell("agent");
    await this.#register();
    this.tell("read");
    this.#device = await this.backend.device(this.serial);
    await this.readSecrets();
    await this.readCard();
  }

  /** #register follows the specification, "Agent registration". */
  async #register(): Promise<void> {
    if ((await this.agent.wellKnown()).status !== "ok") throw new Unreachable("agent");
    const key = await this.agent.publicKey();
    this.agentKey = key.public_key;
    const { hostname } = await this.agent.systemInfo();
    await this.recently(() => this.backend.registerAgent(key, hostname));
  }

  /**
   * registered repeats a call once when the session began anew meanwhile: after
   * its hour a refresh begins another one, which has no agent.
   */
  async registered<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!isProblem(error, "agent_not_registered")) throw error;
    }
    await this.#register();
    return call();
  }

  /** recently repeats a call after the person has proved who they are, where the server demands it. */
  recently<T>(call: () => Promise<T>): Promise<T> {
    return this.options.recently ? this.options.recently(call) : call();
  }

  async readSecrets(): Promise<void> {
    this.#secrets = await this.registered(() => this.backend.secrets(this.serial, this.options.reason));
  }

  /** readCard also finds the key of the slot attest, where only an attestation tells it. */
  async readCard(attest?: Slot): Promise<void> {
    this.#info = await this.agent.info(this.serial, attest);
    this.#defaults = await this.agent.checkDefaults(this.serial);
  }

  /** candidates are what the vault would try, in its order. */
  candidates(field: Field): Candidate[] {
    const list = this.secrets.candidates?.[field];
    return list?.length ? [...list] : [{ kind: "current", value: this.current(field) }];
  }

  current(field: Field): Sealed {
    return there(this.secrets[field]);
  }

  /** doubted tells whether the last probe found none of the vault's values on the card. */
  doubted(field: Field): boolean {
    return this.secrets.doubted?.includes(field) ?? false;
  }

  /** pending is a field's value in the open rotation, undefined when it has none. */
  pending(field: Field): Sealed | undefined {
    return this.secrets.pending?.[field] || undefined;
  }

  get rotationId(): number {
    return there(this.secrets.pending).rotation_id;
  }

  /** opened takes note of a rotation that this attempt began. */
  opened(pending: Pending): void {
    this.#secrets = { ...this.secrets, pending };
  }

  /** closed takes note that a field of the open rotation is settled. */
  closed(field: Field): void {
    this.opened({ ...there(this.secrets.pending), [field]: undefined });
  }

  /**
   * observe reports what a probe found. Where somebody else changed the secrets
   * since they were read, the probe knew nothing of that.
   */
  async observe(field: Field, matched: CandidateKind | "none"): Promise<void> {
    try {
      const { secrets } = await this.backend.observe(this.serial, field, matched, this.secrets.version);
      this.wrote(secrets.version);
    } catch (error) {
      if (!isProblem(error, "secrets_changed")) throw error;
      throw new Outcome("changed", { ways: ["again"], cause: error });
    }
  }

  /** stillCurrent stops where somebody else changed the secrets since they were read: no wonder that the card has none. */
  async stillCurrent(): Promise<void> {
    const { secrets } = await this.backend.device(this.serial);
    if (secrets.version !== this.secrets.version) throw new Outcome("changed", { ways: ["again"] });
  }

  /** wrote takes note of the secrets' version after a write of this attempt, so that the writes of others stand out. */
  wrote(version: number): void {
    this.#secrets = { ...this.secrets, version: Math.min(version, this.secrets.version + 1) };
  }

  /** counts tells whether the card says how many tries are left (firmware 5.3). */
  get counts(): boolean {
    return this.info.puk_retries !== null;
  }

  /** prove takes note of what the card holds now. */
  prove(field: Field, value: Sealed): void {
    this.#proven.set(field, value);
  }

  proven(field: Field): Sealed {
    return there(this.#proven.get(field));
  }

  result(more: Partial<Result> = {}): Result {
    return { serial: this.serial, resumed: false, unchanged: false, certificates: [], kept: [], ...more };
  }
}

/** there is for what an earlier step has surely brought. */
function there<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("a flow used what it has not read yet");
  return value;
}

/** attempt runs a flow from its beginning to its last event. */
export async function attempt(kind: Kind, options: Options, body: (run: Run) => Promise<Result>): Promise<Result> {
  const run = new Run(kind, options);
  const result = await body(run);
  options.progress?.({ step: "done", stage: "ready" });
  return result;
}
