import { Problem, Unreachable } from "../api/problem";

const soonest = 5_000; // ms
const latest = 120_000;

type Asked = {
  state: { status: string; error: Error | null; errorUpdateCount: number; dataUpdateCount: number };
};

/** How often a query had failed when it last succeeded. */
const before = new WeakMap<object, { succeeded: number; failed: number }>();

/**
 * refetchInterval tells a query when to ask again: what failed because the server was away or had too much to do, the
 * longer it is so, the more seldom. A refusal stays one, and so does what is wrong with this page.
 */
export function refetchInterval(query: Asked): number | false {
  const { status, error, errorUpdateCount, dataUpdateCount } = query.state;
  let base = before.get(query);
  if (base?.succeeded !== dataUpdateCount) {
    base = { succeeded: dataUpdateCount, failed: errorUpdateCount - (status === "error" ? 1 : 0) };
    before.set(query, base);
  }
  if (status !== "error" || error === null) return false;
  const said = error instanceof Problem ? error : null;
  const away = said ? said.status >= 500 || said.status === 429 : error instanceof Unreachable;
  if (!away) return false;
  const failures = Math.max(1, errorUpdateCount - base.failed);
  return Math.max(Math.min(soonest * 2 ** (failures - 1), latest), (said?.retryAfter ?? 0) * 1000);
}
