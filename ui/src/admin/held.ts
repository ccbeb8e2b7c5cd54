import { useEffect, useState } from "react";

/**
 * useHeld tells whether a dialog must stay open: while it is busy, and until
 * the event that ended this is over. One Escape at the password question would
 * otherwise close the question, end the waiting, and then close the dialog too.
 */
export function useHeld(busy: boolean): boolean {
  const [held, setHeld] = useState(busy);
  useEffect(() => {
    if (busy) {
      setHeld(true);
      return;
    }
    const timer = setTimeout(() => setHeld(false));
    return () => clearTimeout(timer);
  }, [busy]);
  return busy || held;
}
