import { useEffect } from "react";
import "./print.css";

const scheme = "data-mantine-color-scheme";

/** usePrintable makes a page fit for paper: without the navigation, and dark on white. */
export function usePrintable(): void {
  useEffect(() => {
    const media = window.matchMedia("print");
    const root = document.documentElement;
    let before: string | null = null;
    const follow = () => {
      if (media.matches && before === null) {
        before = root.getAttribute(scheme);
        root.setAttribute(scheme, "light");
      } else if (!media.matches && before !== null) {
        root.setAttribute(scheme, before);
        before = null;
      }
    };
    media.addEventListener("change", follow);
    return () => media.removeEventListener("change", follow);
  }, []);
}
