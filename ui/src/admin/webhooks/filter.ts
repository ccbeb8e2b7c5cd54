/** The form of an action, or of a prefix of actions with its dot, as the server has it. */
const form = /^[a-z][a-z0-9_]{0,31}\.([a-z][a-z0-9_]{0,31})?$/;

/** badAction finds the first that is neither an action nor a prefix. */
export function badAction(actions: string[]): string | undefined {
  return actions.find((a) => !form.test(a));
}

/** Receiver is where a webhook leads, in two parts: the host, and what is below it. */
export function receiver(url: string): { host: string; path: string } {
  try {
    const parsed = new URL(url);
    return { host: parsed.host, path: `${parsed.pathname}${parsed.search}` };
  } catch {
    return { host: url, path: "" };
  }
}
