import type { Schema } from "../../api/client";

export type TokenStatus = Schema<"HWKey">["status"];
/** statuses lists every status, in the order of a token's life. */
export const statuses = ["in_stock", "assigned", "active", "suspended", "lost", "retired"] as const;
