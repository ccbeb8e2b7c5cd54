import type { Schema } from "../api/client";
import type { Catalogue } from "../text";
import type { SlotName } from "./slots";

/** What stands for a slot that gets no certificates. */
export const none = "none";

/** describe says what a profile is for: a built-in one in the page's words, any other in those of who made it. */
export function describe(t: Catalogue, name: string, description: string): string {
  const { builtin } = t.profiles;
  return Object.hasOwn(builtin, name) ? builtin[name as keyof typeof builtin] : description || name;
}

/**
 * purposeOf says what a slot is for, by the profile of its certificate or else the one that it gets; undefined where
 * that is not known.
 */
export function purposeOf(
  t: Catalogue,
  profiles: Schema<"UsableProfiles"> | undefined,
  slot: SlotName,
  held?: string,
): string | undefined {
  const name = held || profiles?.slots[slot];
  if (!name) return undefined;
  if (name === none) return t.profiles.unused;
  return describe(t, name, profiles?.items.find((p) => p.name === name)?.description ?? "");
}
