import type { CandidateKind } from "../ports";
import { type Field, fields } from "../types";
import { factory, Refusal } from "./card";

// A simulator for tests: the server's document of one token, as
// internal/hwkey/document.go and observe.go have it, in plain text.

type Values = {
  current: string;
  pending: string;
  superseded: string[];
  factory: boolean;
  first: CandidateKind;
  fruitless: number;
};
type Rotation = { id: number; fields: Field[]; settled: Map<Field, CandidateKind> };

/** Vault is the custody of one token's secrets. */
export class Vault {
  readonly values: Record<Field, Values>;
  rotation: Rotation | null = null;
  version = 1;
  readonly #closed: Rotation[] = [];
  #random: (field: Field) => string;
  #last = 0;

  constructor(random: (field: Field) => string) {
    this.#random = random;
    const fresh = (field: Field): Values => ({
      current: random(field),
      pending: "",
      superseded: [],
      factory: true,
      first: "current",
      fruitless: 0,
    });
    this.values = { pin: fresh("pin"), puk: fresh("puk"), management_key: fresh("management_key") };
  }

  candidates(field: Field): { kind: CandidateKind; value: string }[] {
    const v = this.values[field];
    const list: { kind: CandidateKind; value: string }[] = [{ kind: "current", value: v.current }];
    if (v.pending) list.push({ kind: "pending", value: v.pending });
    if (v.factory) list.push({ kind: "factory", value: factory[field] });
    const past = v.superseded[0];
    if (past !== undefined) list.push({ kind: "superseded", value: past });
    const first = v.fruitless % 2 === 1 ? list.at(-1)?.kind : v.first;
    const at = list.findIndex((c) => c.kind === first);
    if (at > 0) list.unshift(...list.splice(at, 1));
    return list.slice(0, 3);
  }

  start(of: Field[], pin?: string): Rotation {
    if (this.rotation) throw new Refusal("rotation_pending", { rotation_id: this.rotation.id });
    if (pin && (!/^\d{6,8}$/.test(pin) || pin === factory.pin || pin === this.values.pin.current)) {
      throw new Refusal("invalid_request", { errors: [{ field: "pin", message: "must be another" }] });
    }
    this.rotation = { id: ++this.#last, fields: of, settled: new Map() };
    for (const f of of) this.values[f].pending = f === "pin" && pin ? pin : this.#random(f);
    return this.rotation;
  }

  settle(id: number, of: Field[], to: "pending" | "current"): void {
    const open = this.rotation?.id === id ? this.rotation : null;
    const rotation = open ?? this.#closed.find((r) => r.id === id);
    if (!rotation) throw new Refusal("not_found");
    for (const f of of) {
      const done = rotation.settled.get(f);
      if (done && done !== to) throw new Refusal("conflict");
      if (done) continue;
      const v = this.values[f];
      if (to === "pending") {
        const former = v.current;
        v.current = v.pending;
        this.#supersede(v, former);
      } else {
        this.#supersede(v, v.pending);
      }
      Object.assign(v, { pending: "", first: "current", fruitless: 0 });
      rotation.settled.set(f, to);
    }
    if (open && open.settled.size === open.fields.length) {
      this.#closed.push(open);
      this.rotation = null;
    }
  }

  #supersede(v: Values, value: string): void {
    v.superseded = v.superseded.filter((s) => s !== value && s !== v.current);
    if (value !== v.current) v.superseded.unshift(value);
  }

  /** wrote counts a write that changed something. A report about another version is refused where it would. */
  wrote<T>(write: () => T, from?: number): T {
    const before = structuredClone(this.values);
    const was = JSON.stringify([before, this.rotation?.id]);
    const result = write();
    if (JSON.stringify([this.values, this.rotation?.id]) === was) return result;
    if (from !== undefined && from !== this.version) {
      Object.assign(this.values, before);
      throw new Refusal("secrets_changed");
    }
    this.version++;
    return result;
  }

  observe(field: Field, matched: CandidateKind | "none"): void {
    const v = this.values[field];
    const { fruitless } = v;
    v.fruitless = 0;
    if (matched === "current") v.first = "current";
    if (matched === "pending") throw new Refusal("rotation_pending");
    if (matched === "factory") Object.assign(v, { factory: true, first: "factory" });
    if (matched === "superseded") {
      const [found] = v.superseded;
      if (found === undefined) throw new Refusal("invalid_request");
      const former = v.current;
      Object.assign(v, { current: found, first: "current" });
      this.#supersede(v, former);
    }
    if (matched === "none") {
      v.fruitless = fruitless + 1;
      const [tried, ...rest] = v.superseded;
      const offered = this.candidates(field).some((c) => c.kind === "superseded");
      if (tried !== undefined && offered) v.superseded = [...rest, tried];
    }
  }

  enrolled(): void {
    if (this.rotation) throw new Refusal("rotation_pending");
    for (const f of fields) Object.assign(this.values[f], { factory: false, first: "current", fruitless: 0 });
  }

  /** reset makes fresh values, once until the next enrolment, and keeps the former ones. */
  reset(): void {
    if (this.rotation)
      this.settle(
        this.rotation.id,
        this.rotation.fields.filter((f) => this.values[f].pending),
        "current",
      );
    for (const f of fields) {
      const v = this.values[f];
      const former = v.current;
      v.current = this.#random(f);
      this.#supersede(v, former);
      Object.assign(v, { factory: true, first: "factory", fruitless: 0 });
    }
  }

  /** knows tells whether a value is on record in any way. */
  knows(field: Field, value: string): boolean {
    const v = this.values[field];
    return [v.current, v.pending, ...v.superseded, ...(v.factory ? [factory[field]] : [])].includes(value);
  }
}
