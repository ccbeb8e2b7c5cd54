import { useEffect, useState } from "react";

/**
 * useSettled is true once all that belongs together is there, and stays so:
 * what comes in pieces would push away what somebody reads already. Whoever is
 * kept waiting for longer than patience (ms) gets what there is.
 */
export function useSettled(ready: boolean, patience = 4_000): boolean {
  const [shown, setShown] = useState(ready);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), patience);
    return () => clearTimeout(timer);
  }, [patience]);
  if (ready && !shown) setShown(true);
  return shown || ready;
}
