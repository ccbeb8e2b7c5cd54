declare global {
  interface Window {
    /** Trusted Types; not every browser has them. */
    readonly trustedTypes?: {
      createPolicy(name: string, rules: { createHTML(text: string): string | null }): unknown;
    };
  }
}

// The server's policy lets no script turn text into markup or code (Trusted
// Types), but for what passes here: style sheets that Mantine and React set as
// the content of a <style>. A text without "<" makes no element, whoever wrote
// it; with one, the assignment fails.
window.trustedTypes?.createPolicy("default", { createHTML: (text) => (text.includes("<") ? null : text) });

export {};
