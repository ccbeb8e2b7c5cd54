import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useMe, useSessionState } from "../session/hooks";
import { underway } from "../token/underway";
import { affected } from "./affected";
import { follow } from "./follow";

const together = 50; // ms; what changed at once comes in one piece

/** useLive has the page show what others change: what it shows is asked for again. A page in the background asks when it is looked at. */
export function useLive(): void {
  const queries = useQueryClient();
  const me = useMe();
  const state = useSessionState();
  const sessionId = state.kind === "in" ? state.sessionId : 0;
  useEffect(() => {
    if (!sessionId) return;
    const waiting = new Map<string, QueryKey>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = () => {
      timer = undefined;
      const refetchType = document.visibilityState === "hidden" ? "none" : "active";
      for (const queryKey of waiting.values()) {
        void queries.invalidateQueries({ queryKey, refetchType, predicate: (q) => !underway(q.queryKey) });
      }
      waiting.clear();
    };
    const stop = follow(sessionId, (happening) => {
      for (const key of affected(happening, me.id)) waiting.set(JSON.stringify(key), key);
      timer ??= setTimeout(ask, together);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [sessionId, me.id, queries]);
}
