import { identified } from "../parts/person";
import { useMe } from "../session/hooks";
import { useText } from "../text";
import type { Device } from "./next";
import type { SlotName } from "./slots";

type Token = Pick<Device, "serial" | "label" | "model" | "owner">;

/** useNamed names a token so that no other is meant, before something of consequence: by its serial number and owner. */
export function useNamed(): (token: Token) => string {
  const words = useText().tokens.named;
  const me = useMe();
  return ({ serial, label, model, owner }) => {
    const whose = owner ? (owner.id === me.id ? words.yours : identified(owner)) : words.nobodys;
    return `${serial} (${[label || model, whose].filter(Boolean).join(", ")})`;
  };
}

/** usePlain tells whether a person is spared the words that only administrators need, such as 9a. */
export function usePlain(): boolean {
  return useMe().role === "user";
}

/** useSlotNamed names a slot: plainly, by what its certificate is for, or exactly. */
export function useSlotNamed(): (slot: SlotName) => string {
  const words = useText().tokens.plainSlots;
  const plain = usePlain();
  return (slot) => (plain ? words[slot] : slot);
}
