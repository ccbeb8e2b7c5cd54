import type { Schema } from "../../api/client";
import { isProblem, Problem } from "../../api/problem";
import { Cancelled } from "../../session/recent";

type Body = Schema<"BulkInputBody">;
type Result = Schema<"BulkResult">;

const code = "reauthentication_required";

/**
 * changeMany sends a bulk change. The server asks row by row for a recent
 * sign-in: the rows that want one are sent again after it. Who says no to that
 * leaves them failed.
 */
export async function changeMany(
  body: Body,
  send: (body: Body) => Promise<Result[]>,
  recently: <T>(task: () => Promise<T>) => Promise<T>,
): Promise<Result[]> {
  const results = new Map<string, Result>();
  try {
    await recently(async () => {
      const serials = body.serials.filter((serial) => results.get(serial)?.code === code || !results.has(serial));
      for (const result of await send({ ...body, serials })) results.set(result.serial, result);
      const wanting = [...results.values()].find((result) => result.code === code);
      if (wanting) throw new Problem(403, { code, detail: wanting.detail });
    });
  } catch (error) {
    const answered = error instanceof Cancelled || isProblem(error, code);
    if (!answered || results.size === 0) throw error;
  }
  return [...results.values()];
}
