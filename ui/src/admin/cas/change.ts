import { useQueryClient } from "@tanstack/react-query";
import { done } from "../../parts/problem";
import { useRecent } from "../../session/recent";
import { affected } from "./queries";

/** useChange carries out a change of a CA, after asking who it is where the server wants to know, and shows what is new. */
export function useChange(): (change: () => Promise<unknown>, said: string) => Promise<void> {
  const queries = useQueryClient();
  const recently = useRecent();
  return async (change, said) => {
    try {
      await recently(change);
    } finally {
      // After an error, too: the vault may have done it, and its answer was lost.
      await Promise.all(affected.map((queryKey) => queries.invalidateQueries({ queryKey })));
    }
    done(said);
  };
}
