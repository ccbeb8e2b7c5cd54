/** mostBytes is what a license file has at most (docs/license.md). */
export const mostBytes = 16 * 1024;

/** unfitOf says why a text cannot be a license file; null: the server has to look at it. */
export function unfitOf(content: string): "tooBig" | "malformed" | null {
  if (new TextEncoder().encode(content).length > mostBytes) return "tooBig";
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? null : "malformed";
  } catch {
    return "malformed";
  }
}
