import type { ReactNode } from "react";

type Props = { title?: string | undefined; children: ReactNode };

/**
 * Free is a text that people chose, such as a name: in its own direction, whatever the language of the page, so that a
 * cell too narrow for it shows its beginning.
 */
export function Free({ title, children }: Props) {
  return (
    <span dir="auto" className="free" title={title}>
      {children}
    </span>
  );
}
