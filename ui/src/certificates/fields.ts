import type { Schema } from "../api/client";
import type { Field } from "../parts/csv";

/** What of a certificate stands in a file. */
export const fields: readonly Field<Schema<"Certificate">>[] = [
  ["serial_number", (c) => c.serial_number],
  ["common_name", (c) => c.common_name],
  ["subject", (c) => c.subject],
  ["hwkey_serial", (c) => c.hwkey_serial],
  ["slot", (c) => c.slot],
  ["profile", (c) => c.profile],
  ["owner", (c) => c.owner?.username],
  ["status", (c) => c.status],
  ["not_before", (c) => c.not_before],
  ["not_after", (c) => c.not_after],
  ["installed_at", (c) => c.installed_at],
  ["attested", (c) => c.attested],
  ["revoked_at", (c) => c.revoked_at],
  ["revocation_reason", (c) => c.revocation_reason],
  ["issued_by", (c) => c.issued_by],
  ["issuer", (c) => c.issuer],
  ["key_algorithm", (c) => c.key_algorithm],
  ["public_key_sha256", (c) => c.public_key_sha256],
  ["owner_name", (c) => c.owner?.name],
];
