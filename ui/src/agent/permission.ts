/** Permission is the browser's word on whether this page may reach programs on this computer. */
export type Permission = "granted" | "prompt" | "denied";

// Chromium asks before a page of the network reaches the loopback interface
// (Local Network Access). The permission's name has changed once.
const names = ["loopback-network", "local-network-access"];

/** onLoopback tells whether a page comes from this computer itself: then nobody is asked. */
export function onLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(hostname);
}

/** status finds the permission, or null where the browser has none: it never asks. */
async function status(): Promise<PermissionStatus | null> {
  for (const name of names) {
    try {
      // The DOM types do not know these names yet.
      return await navigator.permissions.query({ name: name as PermissionName });
    } catch {
      // a browser without this name
    }
  }
  return null;
}

/** permission asks the browser, without asking the person. */
export async function permission(): Promise<Permission> {
  if (onLoopback(location.hostname)) return "granted";
  return (await status())?.state ?? "granted";
}

/** onPermission calls back when the person changes their mind in the browser's settings. It gives the way to stop. */
export function onPermission(changed: () => void): () => void {
  const stop = new AbortController();
  if (!onLoopback(location.hostname)) {
    void status().then((s) => s?.addEventListener("change", changed, { signal: stop.signal }));
  }
  return () => stop.abort();
}
