const usual = "http://127.0.0.1:56123";

/** agentAddress is where the agent of this computer listens: as the server says, else the usual port. */
export function agentAddress(): string {
  if (typeof document === "undefined") return usual; // a test without a page
  const told = document.querySelector<HTMLMetaElement>('meta[name="keyward-agent"]')?.content ?? "";
  if (/^http:\/\/(127\.0\.0\.1|localhost)(:\d+)?$/.test(told)) return told;
  return import.meta.env.VITE_AGENT ?? usual;
}
