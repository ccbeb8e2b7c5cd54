import type { Schema } from "../../api/client";
import type { Field } from "../../parts/csv";

/** What of an entry stands in a file of a few; the export of all (internal/audit/line) has more columns. */
export const fields: readonly Field<Schema<"AuditEntry">>[] = [
  ["id", (e) => e.id],
  ["at", (e) => e.at],
  ["action", (e) => e.action],
  ["outcome", (e) => e.outcome],
  ["actor", (e) => e.actor],
  ["target_type", (e) => e.target_type],
  ["target_id", (e) => e.target_id],
  ["hostname", (e) => e.hostname],
  ["ip_address", (e) => e.ip_address],
  ["request_id", (e) => e.request_id],
  ["reason", (e) => e.reason],
  ["details", (e) => e.details],
];
