import type { Own } from "./calls";

/** What of the answer changes when somebody chooses. */
export type OwnChange = Pick<Own, "language" | "mail" | "kinds">;

/** chosen is what a person wants with one kind of messages switched on or off. */
export function chosen(own: Own, kind: string, on: boolean): OwnChange {
  return {
    language: own.language,
    mail: { ...own.mail, [kind]: on },
    kinds: (own.kinds ?? []).map((k) => (k.kind === kind ? { ...k, mail: on } : k)),
  };
}
