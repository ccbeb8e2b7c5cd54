import { useNavigate, useSearch } from "@tanstack/react-router";

type Values = Record<string, string | undefined>;

/** The parts of an address that say where in a list it is. Another filter or order has other places. */
export const elsewhere = { page: undefined, after: undefined } as const;

/**
 * useAddress keeps filters in the address, so that a page can be shared and
 * the back button works. Every value is a text; an absent one is undefined.
 */
export function useAddress() {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  return {
    get: (name: string): string | undefined => asText(search[name]),
    /** set changes what a list shows, which then begins anew. Typing replaces the entry of the history; a choice makes a new one. */
    set: (changes: Values, replace = false): void => {
      const search = (old: object) => ({ ...old, ...elsewhere, ...written(changes) });
      void navigate({ to: ".", search, replace });
    },
    /** open changes what stands beside the list. */
    open: (changes: Values): void => {
      const search = (old: object) => ({ ...old, ...written(changes) });
      void navigate({ to: ".", search, resetScroll: false, state: true });
    },
  };
}

/** asText undoes what the router makes of a value: 123 and true are texts here. */
export function asText(value: unknown): string | undefined {
  if (typeof value === "string") return value || undefined;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return undefined;
}

/** asId gives a positive whole number, or undefined for anything else. */
export function asId(text: string | undefined): number | undefined {
  const id = Number(text);
  return text !== undefined && Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

/** oneOf narrows a text of the address to the values that there are. */
export function oneOf<T extends string>(text: string | undefined, values: readonly T[]): T | undefined {
  return values.find((v) => v === text);
}

/** written lets plain numbers stand without the quotes that the router gives to a text of digits. */
export function written(changes: Values): Record<string, string | number | undefined> {
  const out: Record<string, string | number | undefined> = {};
  for (const [name, text] of Object.entries(changes)) {
    out[name] = text && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : text || undefined;
  }
  return out;
}
