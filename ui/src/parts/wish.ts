import { useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

declare module "@tanstack/history" {
  interface HistoryState {
    /** What somebody chose elsewhere to do on this page. No address holds it: a link must not begin anything. */
    wish?: string;
  }
}

/** useWish gives what somebody came to the page to do, and a function that forgets it, once it is begun. */
export function useWish(): [string | undefined, () => void] {
  const wish = useLocation({ select: (l) => l.state.wish });
  const navigate = useNavigate();
  const forget = () => {
    if (wish === undefined) return;
    const state = (old: object) => ({ ...old, wish: undefined });
    void navigate({ to: ".", search: true, state, replace: true, resetScroll: false });
  };
  return [wish, forget];
}

/** useGranted begins what somebody came to do, as soon as the page is ready for it. */
export function useGranted(what: string, begin: () => void, ready = true): void {
  const [wish, forget] = useWish();
  const latest = useRef({ begin, forget });
  latest.current = { begin, forget };
  const due = wish === what && ready;
  useEffect(() => {
    if (!due) return;
    latest.current.forget();
    latest.current.begin();
  }, [due]);
}
