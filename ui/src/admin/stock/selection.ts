import { useState } from "react";
import type { Schema } from "../../api/client";

type Token = Schema<"HWKey">;
export type Selection = {
  tokens: readonly Token[];
  has: (serial: string) => boolean;
  /** set selects or deselects these. */
  set: (tokens: readonly Token[], on: boolean) => void;
  clear: () => void;
};

const none: ReadonlyMap<string, Token> = new Map();

/** useSelection remembers chosen tokens over pages, until the list is about something else. */
export function useSelection(list: string): Selection {
  const [state, setState] = useState({ list, chosen: none });
  // What no longer stands in the list must not be changed unseen.
  const chosen = state.list === list ? state.chosen : none;
  return {
    tokens: [...chosen.values()],
    has: (serial) => chosen.has(serial),
    set: (tokens, on) => {
      const next = new Map(chosen);
      for (const token of tokens) {
        if (on) next.set(token.serial, token);
        else next.delete(token.serial);
      }
      setState({ list, chosen: next });
    },
    clear: () => setState({ list, chosen: none }),
  };
}
