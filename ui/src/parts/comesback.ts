import { Problem } from "../api/problem";

const again = 5000; // ms

/** comesBack tells a query when to ask again: what failed because the server was away. A refusal stays one. */
export function comesBack({
  state: { status, error },
}: {
  state: { status: string; error: Error | null };
}): number | false {
  const refused = error instanceof Problem && error.status < 500 && error.status !== 429;
  return status === "error" && !refused ? again : false;
}
