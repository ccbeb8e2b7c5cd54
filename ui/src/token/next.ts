import type { components as AgentComponents } from "../api/agent.gen";
import type { Schema } from "../api/client";
import type { Card, SlotName, SlotView } from "./slots";

export type Device = Schema<"HWKey">;
export type Defaults = AgentComponents["schemas"]["Defaults"];

/** withToken fills in what a plugged-in token says of itself, which is truer than its record. */
export function withToken(
  device: Device,
  token: { model: string; firmware_version: string; form_factor: string } | undefined,
): Device {
  if (!token) return device;
  return {
    ...device,
    model: device.model || token.model,
    firmware_version: token.firmware_version || device.firmware_version,
    form_factor: token.form_factor || device.form_factor,
  };
}

/** Request names a guided flow, as a person asks for it. */
export type Request = {
  what:
    | "setup"
    | "change_pin"
    | "unblock"
    | "certificate"
    | "renew"
    | "reset"
    | "take_back"
    | "recover"
    | "set_retries";
  /** Of a set-up: its owner chooses the PIN, on first use. */
  pinLater?: boolean;
  /** Of a certificate: chosen in the flow when absent. With it, a flow that stopped in this slot goes on. */
  slot?: SlotName;
};

/** Label says how a request is named at this moment: texts tokens.actions. */
type Label =
  | "enroll"
  | "continue_enroll"
  | "continue_pin"
  | "choose_pin"
  | "change_pin"
  | "unblock"
  | "continue_unblock"
  | "renew"
  | "continue_renew"
  | "certificate"
  | "continue_certificate"
  | "reset"
  | "take_back"
  | "continue_reset"
  | "set_retries";

/** Action is something that can be done with a token now. */
export type Action = Request & { label: Label };

/** Remark says why the first action is what it is: texts tokens.states. */
export type Remark =
  | "pending"
  | "half"
  | "halfRenewed"
  | "halfCertified"
  | "halfReset"
  | "former"
  | "factoryAgain"
  | "missing"
  | "ownPin"
  | "pinBlocked"
  | "pinLow"
  | "pinLowPending"
  | "pinLowPukBlocked"
  | "bothBlocked"
  | "pukBlocked"
  | "suspended"
  | "lost"
  | "retired";

export type Plan = { primary?: Action; others: Action[]; remark?: Remark };

const usable = new Set<Device["status"]>(["in_stock", "assigned", "active"]);
const changePin: Action = { what: "change_pin", label: "change_pin" };
const unblock: Action = { what: "unblock", label: "unblock" };
const certificate: Action = { what: "certificate", label: "certificate" };
const reset: Action = { what: "reset", label: "reset" };
const takeBack: Action = { what: "take_back", label: "take_back" };
const continueReset: Action = { what: "reset", label: "continue_reset" };
const setRetries: Action = { what: "set_retries", label: "set_retries" };

/** erases tells the flows that destroy the keys on the token. */
export const erases = (what: Request["what"]) => what === "reset" || what === "take_back";

/** factory lists the secrets that are still the factory's, as far as the card tells. */
export function factory(defaults: Defaults | undefined): ("pin" | "puk" | "management_key")[] {
  if (!defaults) return [];
  const list: ("pin" | "puk" | "management_key")[] = [];
  if (defaults.pin_default) list.push("pin");
  if (defaults.puk_default) list.push("puk");
  if (defaults.management_key_default) list.push("management_key");
  return list;
}

/** neverChosen: the token was set up, and its PIN is still the random one of the set-up. */
export function neverChosen(device: Device): boolean {
  if (!device.enrolled_at || device.secrets.rotation_pending) return false;
  const changed = device.secrets.changed_at;
  return !changed || Date.parse(changed) <= Date.parse(device.enrolled_at);
}

/** Seen is what a plugged-in card shows without a secret. */
export type Seen = {
  card: Card;
  defaults: Defaults;
  /** When it was read: records may be newer. */
  at?: number;
};

/** What a flow left undone, as it stands in the address of a token's page; of a slot it is the slot. */
const undone: Partial<Record<Label, "setup" | "pin" | "reset">> = {
  enroll: "setup",
  continue_enroll: "setup",
  choose_pin: "pin",
  continue_pin: "pin",
  continue_unblock: "pin",
  continue_reset: "reset",
};

/**
 * continuing gives the action of a plan that goes on with what was left undone: "setup", "pin", "reset", or a slot.
 * A slot needs the PIN: where that is to be unblocked first, it is not gone on with by itself.
 */
export function continuing({ primary, others }: Plan, what: string): Action | undefined {
  const able = primary?.what === "unblock" ? [primary] : [...(primary ? [primary] : []), ...others];
  return able.find(({ label, slot }) =>
    label === "continue_renew" || label === "continue_certificate" ? slot === what : undone[label] === what,
  );
}

const wishes = ["setup", "change_pin", "unblock", "certificate", "renew", "reset", "take_back"] as const;

/** isFlow tells the wishes that are for a flow of a token from what else people come for. */
export const isFlow = (wish: string | undefined): wish is (typeof wishes)[number] => wishes.some((w) => w === wish);

/** wished gives the action of a plan that does what somebody came for. */
export function wished({ primary, others }: Plan, what: string): Action | undefined {
  return [...(primary ? [primary] : []), ...others].find((action) => action.what === what);
}

/** interrupted gives, for each slot in which a flow stopped, the way on. */
export function interrupted(slots: readonly SlotView[]): Action[] {
  return slots.flatMap(({ slot, light, begun }): Action[] => {
    if (!begun) return [];
    return light === "unfinished"
      ? [{ what: "renew", label: "continue_renew", slot }]
      : [{ what: "certificate", label: "continue_certificate", slot }];
  });
}

/**
 * plan says what can be done with a token that is plugged in: the next best
 * action first. mine: the person is its owner.
 */
export function plan(device: Device, seen: Seen, slots: readonly SlotView[], mine: boolean): Plan {
  const plan = returnable(anyPlan(device, seen, slots, mine), device, mine);
  // Nothing unblocks a PIN where the PUK is blocked itself; the PIN and the management key give both their tries back.
  if (seen.card.puk_retries !== 0) return plan;
  const others = plan.others.map((a) => (a.what === "unblock" ? setRetries : a));
  const usual = plan.remark === undefined || plan.remark === "ownPin";
  return usual && others.includes(setRetries) ? { ...plan, others, remark: "pukBlocked" } : { ...plan, others };
}

/** returnable offers to take somebody's token back: first where it is out of use, else beside its reset. */
function returnable(plan: Plan, { owner, status }: Device, mine: boolean): Plan {
  if (mine || !owner) return plan;
  if (!usable.has(status)) return { ...plan, primary: takeBack };
  const others = plan.others.flatMap((a) => (a === reset ? [takeBack, a] : [a]));
  return { ...plan, others: others.includes(takeBack) ? others : [...others, takeBack] };
}

function anyPlan(device: Device, seen: Seen, slots: readonly SlotView[], mine: boolean): Plan {
  const { status } = device;
  if (status === "suspended" || status === "lost" || status === "retired") {
    return { others: mine ? [] : [reset], remark: status };
  }
  if (!usable.has(status)) return { others: [] };
  const { card, defaults } = seen;
  if (card.pin_retries === 0 && card.puk_retries === 0) return { primary: reset, others: [], remark: "bothBlocked" };
  const fresh = factory(defaults);
  if (!device.enrolled_at) return beforeSetUp(device, seen, slots);
  const left = interrupted(slots);
  // The last try is not spent, and no PUK gives others: whoever knows the PIN gets them back by using it.
  if (card.pin_retries === 1 && card.puk_retries === 0) return { others: [reset], remark: "pinLowPukBlocked" };
  if (card.pin_retries === 0 || card.pin_retries === 1) return withoutPin(device, card.pin_retries, left);
  if (fresh.length > 0) {
    return { primary: { what: "setup", label: "enroll" }, others: [unblock, reset], remark: "factoryAgain" };
  }
  const usual = [changePin, certificate, unblock, reset];
  if (device.secrets.rotation_pending) {
    return {
      primary: { what: "change_pin", label: "continue_pin" },
      others: [...left, unblock, certificate, reset],
      remark: "pending",
    };
  }
  const [half, ...further] = left;
  if (half) {
    const remark = half.label === "continue_renew" ? "halfRenewed" : "halfCertified";
    return { primary: half, others: [...further, ...renewals(slots), ...usual], remark };
  }
  if (slots.some((s) => s.missing)) {
    return { primary: certificate, others: [...renewals(slots), changePin, unblock, reset], remark: "missing" };
  }
  // Nothing presses on a healthy token. The help desk is asked for a PIN far more often than for anything else.
  if (!mine) {
    const [due, ...later] = renewals(slots);
    const rest = [...later, unblock, changePin, certificate, reset];
    return due ? { primary: due, others: rest } : { others: rest };
  }
  if (neverChosen(device)) {
    return {
      primary: { what: "change_pin", label: "choose_pin" },
      others: [...renewals(slots), unblock, certificate, reset],
      remark: "ownPin",
    };
  }
  const [first, ...rest] = renewals(slots);
  if (first) return { primary: first, others: [...rest, ...usual] };
  if (slots.every((s) => s.light === "empty" || s.light === "key")) {
    return { primary: certificate, others: [changePin, unblock, reset] };
  }
  return { primary: changePin, others: [certificate, unblock, reset] };
}

/**
 * withoutPin: the agent never spends the last try, so the PUK comes first. It takes no try of the PIN, and ends an
 * open change: the PIN on its way is set first, then the one that was chosen. What else was begun needs a PIN, and
 * goes on after that.
 */
function withoutPin(device: Device, tries: 0 | 1, left: readonly Action[]): Plan {
  const pending = device.secrets.rotation_pending;
  const change: Action[] = pending && tries === 1 ? [{ what: "change_pin", label: "continue_pin" }] : [];
  return {
    primary: pending ? { what: "unblock", label: "continue_unblock" } : unblock,
    others: [...change, ...left, reset],
    remark: tries === 0 ? "pinBlocked" : pending ? "pinLowPending" : "pinLow",
  };
}

function beforeSetUp(device: Device, seen: Seen, slots: readonly SlotView[]): Plan {
  const begun = halfSetUp(seen, slots);
  const unblocking = seen.card.pin_retries === 0 ? [unblock] : [];
  const setUp: Action = { what: "setup", label: "enroll" };
  const owners = begun ? revokedOwners(slots) : [];
  if (device.owner && owners.includes(device.owner.id)) {
    return { primary: continueReset, others: [setUp, ...unblocking], remark: "halfReset" };
  }
  // Without an owner there is nobody to set it up for.
  if (owners.length > 0 && !device.owner) return { primary: continueReset, others: unblocking, remark: "former" };
  if (owners.length > 0) return { primary: setUp, others: [...unblocking, reset], remark: "former" };
  return {
    primary: begun ? { what: "setup", label: "continue_enroll" } : setUp,
    others: [...unblocking, reset],
    ...(begun ? { remark: "half" as const } : {}),
  };
}

/**
 * revokedOwners gives the owners of the revoked certificates on a card, undefined for one that is not known. A set-up
 * stores none that is revoked. Where the token is still its owner's, it is as it was before the server's part of a
 * reset; where not, the token changed hands.
 */
function revokedOwners(slots: readonly SlotView[]): (number | undefined)[] {
  return slots.flatMap((s) => (s.onCard && s.recorded && s.light === "revoked" ? [s.certificate?.owner] : []));
}

/** halfReset tells, of a token that is not set up, whether its card shows that its owner's reset was interrupted. */
export function halfReset(device: Device, seen: Seen, slots: readonly SlotView[]): boolean {
  return beforeSetUp(device, seen, slots).remark === "halfReset";
}

/** halfSetUp tells, of a token that is not set up, whether its card shows that this was begun. */
export function halfSetUp({ defaults }: Seen, slots: readonly SlotView[]): boolean {
  const told = [defaults.pin_default, defaults.puk_default, defaults.management_key_default];
  return told.includes(false) || slots.some((s) => s.recorded);
}

/** renewals are the slots whose certificate should be renewed now, the most urgent first. */
function renewals(slots: readonly SlotView[]): Action[] {
  return slots
    .filter(
      (s) =>
        !s.begun && s.recorded && s.onCard && (s.light === "soon" || s.light === "expired" || s.light === "revoked"),
    )
    .sort((a, b) => (a.certificate?.notAfter ?? "").localeCompare(b.certificate?.notAfter ?? ""))
    .map((s) => ({ what: "renew", label: "renew", slot: s.slot }));
}
