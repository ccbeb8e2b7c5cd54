import { useEffect, useRef } from "react";

/** aside marks a dialog that comes between the person and the work, and goes again. */
export const aside = { "data-aside": true };

let worked: HTMLElement | null = null; // what had the focus last, asides left out

/** useFocusNotes notes where in the page the person works; once for all of it. */
export function useFocusNotes(): void {
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      if (target instanceof HTMLElement && !target.closest("[data-aside]")) worked = target;
    };
    document.addEventListener("focusin", note);
    return () => document.removeEventListener("focusin", note);
  }, []);
}

/**
 * useFocusBack gives the focus back to the work when an aside closes. Mantine
 * would give it to what had it when the aside came: nothing, as a rule, since
 * the button whose request led to it is disabled while that runs.
 */
export function useFocusBack(opened: boolean): void {
  const was = useRef(opened);
  useEffect(() => {
    const closed = was.current && !opened;
    was.current = opened;
    if (!closed) return;
    const before = document.activeElement;
    // After the task, which enables its button when it is cancelled.
    const timer = setTimeout(() => {
      if (document.activeElement === before || lost()) back();
    }, 20);
    return () => clearTimeout(timer);
  }, [opened]);
}

function lost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/** back tries the element itself; while it is disabled, or when it is gone, what is around it. */
function back(): void {
  const around = worked?.isConnected ? worked.closest<HTMLElement>('[role="dialog"]') : null;
  for (const to of [worked, around, document.getElementById("content")]) {
    to?.focus({ preventScroll: true });
    if (to && document.activeElement === to) return;
  }
}
