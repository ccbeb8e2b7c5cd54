import { useEffect } from "react";

/** What closes gives the focus back by itself, within this time (ms). */
const grace = 100;

/**
 * useKeptFocus keeps the focus in the page when what had it is gone, such as the button of something that has just
 * been done: it moves to the dialog that is open, or else to the content. By itself it would fall to the document,
 * and who uses a keyboard or a screen reader would begin at the top again.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: Element | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const lost = () => last !== null && !last.isConnected && document.activeElement === document.body;
    const keep = () => {
      timer = undefined;
      if (!lost()) return;
      const dialogs = document.querySelectorAll<HTMLElement>("[role=dialog][aria-modal=true]");
      const place = [...dialogs].at(-1) ?? document.getElementById("content");
      place?.focus({ preventScroll: true });
    };
    const note = (e: FocusEvent) => {
      last = e.target instanceof Element ? e.target : null;
    };
    const observer = new MutationObserver(() => {
      if (lost()) timer ??= setTimeout(keep, grace);
    });
    document.addEventListener("focusin", note);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener("focusin", note);
      observer.disconnect();
      clearTimeout(timer);
    };
  }, []);
}
