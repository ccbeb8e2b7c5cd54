import { useEffect, useEffectEvent } from "react";
import { afterFailure } from "./refetch";

/** useAgain tries again by itself after a failure that passes: the server was away or overloaded. */
export function useAgain(error: unknown, again: () => void) {
  const retry = useEffectEvent(again);
  useEffect(() => {
    const after = error instanceof Error ? afterFailure(error) : false;
    if (after === false) return;
    const timer = setTimeout(retry, after);
    return () => clearTimeout(timer);
  }, [error]);
}
