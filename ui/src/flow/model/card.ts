import type { Field } from "../types";

// A simulator for tests: it behaves as a PIV card does where the flows can
// notice, and holds its secrets in plain text.

/** factory are the values of a new or reset card. */
export const factory: Record<Field, string> = {
  pin: "123456",
  puk: "12345678",
  management_key: "010203040506070801020304050607080102030405060708",
};

/** Refusal is a card's no, by the agent's code. */
export class Refusal extends Error {
  readonly code: string;
  readonly extra: Record<string, unknown>;
  constructor(code: string, extra: Record<string, unknown> = {}) {
    super(code);
    this.code = code;
    this.extra = extra;
  }
}

type Key = { id: number; made: boolean; algorithm: string };

/** Card is a PIV card with its retry counters and slots. */
export class Card {
  /** Firmware 5.3 and later tells counters and whether factory values are in use. */
  readonly tells: boolean;
  /** Some cards refuse simple PINs. */
  picky = false;
  readonly held: Record<Field, string> = { ...factory };
  readonly left = { pin: 3, puk: 3 };
  readonly slots = new Map<string, { key: Key; certificate?: { serialNumber: string } }>();
  #keys = 0;

  constructor(tells: boolean) {
    this.tells = tells;
  }

  /** enter spends a try of PIN or PUK unless the value is right. */
  enter(field: "pin" | "puk", value: string): void {
    if (this.left[field] === 0) throw new Refusal(`${field}_blocked`, { retries_left: 0 });
    if (value !== this.held[field]) {
      this.left[field]--;
      throw new Refusal(this.left[field] ? `wrong_${field}` : `${field}_blocked`, { retries_left: this.left[field] });
    }
    this.left[field] = 3;
  }

  authenticate(key: string): void {
    if (key !== this.held.management_key) throw new Refusal("wrong_management_key");
  }

  #accept(field: Field, value: string): void {
    if (this.picky && field === "pin" && /^(159753|.*(\d)\2\2.*)$/.test(value)) throw new Refusal("pin_refused");
    this.held[field] = value;
  }

  change(field: Field, from: string, to: string): void {
    if (field === "management_key") this.authenticate(from);
    else this.enter(field, from);
    this.#accept(field, to);
  }

  unblock(puk: string, pin: string): void {
    this.enter("puk", puk);
    this.#accept("pin", pin);
    this.left.pin = 3;
  }

  setRetries(key: string, pin: string): void {
    this.authenticate(key);
    this.enter("pin", pin);
    Object.assign(this.held, { pin: factory.pin, puk: factory.puk });
    Object.assign(this.left, { pin: 3, puk: 3 });
  }

  /** make puts a new key into a slot. The certificate of the former one stays, as on a real card. */
  make(slot: string, key: string, overwrite: boolean): Key {
    this.authenticate(key);
    if (this.slots.has(slot) && !overwrite) throw new Refusal("slot_occupied");
    const made = { id: ++this.#keys, made: true, algorithm: "RSA2048" };
    this.slots.set(slot, { ...this.slots.get(slot), key: made });
    return made;
  }

  reset(): void {
    Object.assign(this.held, factory);
    Object.assign(this.left, { pin: 3, puk: 3 });
    this.slots.clear();
  }
}
