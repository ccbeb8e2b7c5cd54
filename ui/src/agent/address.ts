const usual = "http://127.0.0.1:56123";

/** agentAddress is where the agent of this computer listens: as the server says, else the usual port. */
export function agentAddress(): string {
  const told = document.querySelector<HTMLMetaElement>('meta[name="keyward-agent"]')?.content ?? "";
  if (/^http:\/\/(127\.0\.0\.1|localhost)(:\d+)?$/.test(told)) return told;
  return import.meta.env.VITE_AGENT ?? usual;
}
