import type { Listed } from "../../parts/listlink";

/** firmware is the list of the tokens with a version; an empty one is unknown. */
export const firmware = (version: string, organization?: number): Listed => ({
  to: "/admin/tokens",
  search: { firmware: version || "none", organization },
});

/** status is the list of the tokens that stand so; all of them without one. */
export const status = (value: string | undefined, organization?: number): Listed => ({
  to: "/admin/tokens",
  search: { status: value, organization },
});

/** oldSecrets, lapsed, ending and unattested are the lists of what a report counts as such. */
export const oldSecrets = (days: number, organization?: number): Listed => ({
  to: "/admin/tokens",
  search: { show: `old-${days}`, organization },
});
export const lapsed = (organization?: number): Listed => ({
  to: "/certificates",
  search: { show: "lapsed", organization },
});
export const ending = (days: number, organization?: number): Listed => ({
  to: "/certificates",
  search: { show: days, organization },
});
export const unattested = (organization?: number): Listed => ({
  to: "/certificates",
  search: { show: "unattested", organization },
});

/** week is the list of the certificates that end in a week, named by its Monday. */
export const week = (start: Date, organization?: number): Listed => ({
  to: "/certificates",
  search: { week: start.toISOString().slice(0, 10), organization },
});

type Period = { from: string; to?: string };

/** releases is what the audit log has of them in a report's period; one that ended when it was made, at, goes on. */
export const releases = ({ from, to }: Period, at?: string, organization?: number): Listed => ({
  to: "/admin/audit",
  search: {
    action: "hwkey.secrets_released,hwkey.rotation_started",
    outcome: "success",
    from,
    to: to && at && Date.parse(to) < Date.parse(at) ? to : undefined,
    organization,
  },
});

/** tokenless is the list of the people who could use a token and have none. */
export const tokenless = (organization?: number): Listed => ({
  to: "/admin/people",
  search: { state: "active", tokens: "none", organization },
});
