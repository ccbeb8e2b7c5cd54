import type { Schema } from "../api/client";
import type { Catalogue } from "../text";

/** aboutOf says which license a line of the history is about, or why it was refused; the server's words where the reason is unknown. */
export function aboutOf(
  event: Schema<"LicenseEvent">,
  words: Catalogue["license"]["history"],
  dayOf: (at: string) => string,
): string {
  const license = event.license_summary;
  if (!license) return words.refused[event.reason] ?? event.message;
  const said = words.summary(license.customer_name, license.license_type, dayOf(license.expiry_date));
  return event.reason === "replace_newer" ? `${said}; ${words.replaced}` : said;
}
