import type { Schema } from "../api/client";

/** needed are the parts without which an installation works, but not for long; mail and single sign-on are choices. */
const needed = ["backups"];

/** missing gives the needed parts that nobody has set up. */
export const missing = (report: Schema<"HealthReport">): string[] =>
  report.components.filter((c) => c.status === "not_configured" && needed.includes(c.name)).map((c) => c.name);
