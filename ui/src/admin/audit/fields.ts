import type { Schema } from "../../api/client";
import type { Field } from "../../parts/csv";

/** What of an entry stands in a file of a few: the columns of the export of all (internal/audit/line). */
export const fields: readonly Field<Schema<"AuditEntry">>[] = [
  ["id", (e) => e.id],
  ["at", (e) => e.at],
  ["action", (e) => e.action],
  ["outcome", (e) => e.outcome],
  ["actor_id", (e) => e.actor_id],
  ["actor", (e) => e.actor],
  ["organization_id", (e) => e.organization_id],
  ["target_type", (e) => e.target_type],
  ["target_id", (e) => e.target_id],
  ["hostname", (e) => e.hostname],
  ["ip_address", (e) => e.ip_address],
  ["request_id", (e) => e.request_id],
  ["reason", (e) => e.reason],
  ["details", (e) => e.details],
  ["file_name", (e) => e.file_name],
  ["backup_type", (e) => e.backup_type],
  ["duration_ms", (e) => e.duration_ms],
  ["size_bytes", (e) => e.size_bytes],
];
