import type { Device } from "./next";

type Status = Device["status"];

/**
 * statusesFor gives the statuses that somebody may choose for a token. One that is set up comes back as active: to
 * have it count as not set up takes a reset.
 */
export function statusesFor({ next_statuses, enrolled_at }: Pick<Device, "next_statuses" | "enrolled_at">): Status[] {
  return next_statuses.filter((next) => next !== "assigned" || enrolled_at === null);
}
