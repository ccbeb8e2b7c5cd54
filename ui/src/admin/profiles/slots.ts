import type { Schema } from "../../api/client";
import { none } from "../../token/purpose";
import { type SlotName, slotNames } from "../../token/slots";

export type Stored = Schema<"SlotProfiles">;

/** What stands in a choice for what the installation has. No profile has this name. */
export const inherit = "*";

/** SlotDraft says what each slot gets, as the form has it. */
export type SlotDraft = Record<SlotName, string> & {
  plan: SlotName[];
  /** Of an organization: it has a plan of its own. */
  own_plan: boolean;
};

export type Preset = "one" | "three" | "inherit";

/** presets are choices for all slots at once. */
export const presets: Record<Preset, SlotDraft> = {
  one: { "9a": "default", "9c": "default", "9d": "default", "9e": "card-authentication", plan: ["9a"], own_plan: true },
  three: {
    "9a": "logon",
    "9c": "signature",
    "9d": "encryption",
    "9e": "card-authentication",
    plan: ["9a", "9c", "9d"],
    own_plan: true,
  },
  inherit: { "9a": inherit, "9c": inherit, "9d": inherit, "9e": inherit, plan: [], own_plan: false },
};

/** draftOf is what is stored, in a form. */
export function draftOf({ slots, plan }: Stored): SlotDraft {
  const name = (slot: SlotName) => slots[slot] ?? inherit;
  return {
    "9a": name("9a"),
    "9c": name("9c"),
    "9d": name("9d"),
    "9e": name("9e"),
    plan: slotNames.filter((slot) => plan?.includes(slot)),
    own_plan: plan !== null && plan !== undefined,
  };
}

/** planned are the slots of a draft's plan: one that gets no certificates is in none. */
export function planned(draft: SlotDraft): SlotName[] {
  return draft.plan.filter((slot) => draft[slot] !== none);
}

/** bodyOf is what the server is sent of a form. */
export function bodyOf(draft: SlotDraft): Pick<Stored, "slots" | "plan"> {
  const name = (slot: SlotName) => (draft[slot] === inherit ? null : draft[slot]);
  return {
    slots: { "9a": name("9a"), "9c": name("9c"), "9d": name("9d"), "9e": name("9e") },
    plan: draft.own_plan ? planned(draft) : null,
  };
}

/** presetOf is the choice that a draft is; undefined: one of its own. */
export function presetOf(draft: SlotDraft): Preset | undefined {
  const said = JSON.stringify(bodyOf(draft));
  return (Object.keys(presets) as Preset[]).find((p) => JSON.stringify(bodyOf(presets[p])) === said);
}

/** noPlan tells that a set-up would fill nothing, though slots get certificates. */
export function noPlan(draft: SlotDraft): boolean {
  return draft.own_plan && planned(draft).length === 0 && slotNames.some((slot) => draft[slot] !== none);
}
