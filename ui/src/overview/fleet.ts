import { type Week, weeksOf } from "../admin/compliance/weeks";
import type { Schema } from "../api/client";

type Report = Schema<"ComplianceReport">;
type Count = { key: string; count: number };

/** Fleet is the compliance report of all organizations that it covers, together. */
export type Fleet = {
  total: number;
  byStatus: Record<Schema<"HWKey">["status"], number>;
  firmware: Count[];
  expiring: number;
  /** Certificates that ended on active tokens, and that nobody renewed. */
  expired: number;
  weeks: Week[];
  /** Certificates neither revoked nor expired. */
  valid: number;
  old: number;
  tokenless: { count: number; users: Schema<"TokenlessUser">[] };
  releases: { total: number; since: string; byReason: Count[] };
};

/** together adds up the organizations of a report. */
export function together(report: Report): Fleet {
  const all = report.organizations;
  const sum = (of: (o: Schema<"OrganizationReport">) => number) => all.reduce((n, o) => n + of(o), 0);
  return {
    total: sum((o) => o.tokens_total),
    byStatus: {
      in_stock: sum((o) => o.tokens_by_status.in_stock),
      assigned: sum((o) => o.tokens_by_status.assigned),
      active: sum((o) => o.tokens_by_status.active),
      suspended: sum((o) => o.tokens_by_status.suspended),
      lost: sum((o) => o.tokens_by_status.lost),
      retired: sum((o) => o.tokens_by_status.retired),
    },
    firmware: merged(
      all.flatMap((o) => o.tokens_by_firmware.map((f) => ({ key: f.firmware_version, count: f.count }))),
    ),
    expiring: sum((o) => o.certificates_expiring.count),
    expired: sum((o) => o.certificates_expired.count),
    weeks: weeksOf(report),
    valid: sum((o) => o.certificates_by_attestation.attested + o.certificates_by_attestation.not_attested),
    old: sum((o) => o.secrets_older_than_limit.count),
    tokenless: {
      count: sum((o) => o.users_without_token.count),
      users: all.flatMap((o) => o.users_without_token.users),
    },
    releases: {
      total: sum((o) => o.releases.total),
      since: report.parameters.from,
      byReason: merged(all.flatMap((o) => o.releases.by_reason.map((r) => ({ key: r.reason, count: r.count })))),
    },
  };
}

/** merged adds what has the same key, and puts the greatest first. */
function merged(counts: Count[]): Count[] {
  const sums = new Map<string, number>();
  for (const { key, count } of counts) sums.set(key, (sums.get(key) ?? 0) + count);
  return [...sums]
    .map(([key, count]) => ({ key, count }))
    .sort((a, b) => b.count - a.count || a.key.localeCompare(b.key));
}
