import type { components as AgentComponents } from "../api/agent.gen";
import type { Schema } from "../api/client";
import { isOtherKey, keyAlgorithm, usualKeyType } from "../flow/otherkey";
import type { Slot } from "../flow/types";
import { lifespan } from "../parts/lifespan";

export type SlotName = Slot;

/** slotNames are the PIV slots that Keyward speaks of, as they stand on the picture. */
export const slotNames: readonly SlotName[] = ["9a", "9c", "9d", "9e"];

export type Card = AgentComponents["schemas"]["PIVInfo"];

/** OnRecord is what the server says of a certificate: the short form of a list, or the whole record. */
export type OnRecord = Schema<"ShortCertificate"> &
  Partial<Pick<Schema<"Certificate">, "status" | "owner" | "profile">>;

/**
 * Light is how a slot is drawn. foreign: a certificate that Keyward did not
 * issue, or something that is none. key: a key without a certificate. unconfirmed: issued, but nobody saw
 * it on the token yet. unfinished: a new key beside the certificate of the
 * former one, which works no more: a renewal stopped in between.
 */
export type Light =
  | "empty"
  | "valid"
  | "soon"
  | "expired"
  | "revoked"
  | "foreign"
  | "key"
  | "unconfirmed"
  | "unfinished";

export type SlotView = {
  slot: SlotName;
  light: Light;
  /** What the slot holds, or should hold. */
  certificate?: {
    serialNumber: string;
    name: string;
    notBefore: string;
    notAfter: string;
    status: string;
    /** The profile that it was issued by, where that is known. */
    profile?: string | undefined;
    /** The account that it was issued to, where that is known. */
    owner?: number | undefined;
  };
  /** Whether Keyward has a record of the certificate. */
  recorded: boolean;
  /** Whether the certificate was seen on the card; null while the card is not plugged in. */
  onCard: boolean | null;
  /** A flow stopped here, as far as can be known: a key waits for its certificate, or a certificate for its place. */
  begun: boolean;
  /** A valid certificate was on the card and is gone, and no flow that stopped explains it. */
  missing: boolean;
};

/** nameOf takes the common name out of an RFC 4514 subject. */
export function nameOf(subject: string): string {
  const found = /(?:^|,)\s*CN=((?:\\.|[^,\\])*)/i.exec(subject);
  return found?.[1] ? found[1].replace(/\\(.)/g, "$1") : subject;
}

function view(slot: SlotName, record: OnRecord, now: number): SlotView {
  const status = record.status ?? "issued";
  const { standing } = lifespan(record.not_before, record.not_after, status, now);
  const unconfirmed = standing !== "revoked" && standing !== "expired" && record.installed_at === null;
  return {
    slot,
    // "future" is a clock that goes wrong: the certificate is good.
    light: unconfirmed ? "unconfirmed" : standing === "future" ? "valid" : standing,
    certificate: {
      serialNumber: record.serial_number,
      name: record.common_name,
      notBefore: record.not_before,
      notAfter: record.not_after,
      status,
      profile: record.profile,
      owner: record.owner?.id,
    },
    recorded: true,
    onCard: null,
    begun: false,
    missing: false,
  };
}

/** waits tells whether a certificate was issued that nobody saw on the token yet, and that may still get there. */
function waits(record: OnRecord, now: number): boolean {
  return record.installed_at === null && Date.parse(record.not_after) > now;
}

/**
 * slotViews brings together what the card shows and what is on record; the card decides where it is known. read: when
 * the card was; what was stored since is not missing.
 */
export function slotViews(records: readonly OnRecord[], card?: Card, now = Date.now(), read = now): SlotView[] {
  return slotNames.map((slot) => {
    const mine = records.filter((r) => r.slot === slot);
    const live = mine.filter((r) => (r.status ?? "issued") === "issued");
    const wanted = live.find((r) => r.installed_at !== null) ?? live[0];
    const begun = live.some((r) => waits(r, now));
    const nothing: SlotView = {
      slot,
      light: "empty",
      recorded: false,
      onCard: card ? false : null,
      begun: false,
      missing: false,
    };
    if (!card) return wanted ? { ...view(slot, wanted, now), begun } : nothing;
    const held = card.slots.find((s) => s.slot === slot);
    const shown = held?.certificate;
    const stored = live.filter(
      (r) => r.installed_at !== null && Date.parse(r.installed_at) < read && Date.parse(r.not_after) > now,
    );
    const missing = !begun && stored.length > 0 && stored.every((r) => r.serial_number !== shown?.serial_number);
    if (shown) {
      const record = mine.find((r) => r.serial_number === shown.serial_number);
      if (record && isOtherKey(held)) {
        return { ...view(slot, record, now), light: "unfinished", onCard: true, begun: true };
      }
      if (record) return { ...view(slot, record, now), onCard: true, begun, missing };
      const { serial_number, not_before, not_after, subject } = shown;
      return {
        slot,
        light: "foreign",
        certificate: {
          serialNumber: serial_number,
          name: nameOf(subject),
          notBefore: not_before,
          notAfter: not_after,
          status: "issued",
        },
        recorded: false,
        onCard: true,
        begun,
        missing,
      };
    }
    if (held?.unreadable) return { ...nothing, light: "foreign", onCard: true, begun, missing };
    if (wanted) return { ...view(slot, wanted, now), light: "unconfirmed", onCard: false, begun, missing };
    const key = held?.key_algorithm;
    return key ? { ...nothing, light: "key", begun: key === keyAlgorithm(usualKeyType) } : nothing;
  });
}

/** firstFree is the slot that a new certificate is most likely for. */
export function firstFree(views: readonly SlotView[]): SlotName {
  return (views.find((v) => v.missing) ?? views.find((v) => !v.certificate && v.light !== "foreign"))?.slot ?? "9a";
}
