import type { Schema } from "../../api/client";
import { isProblem, Problem } from "../../api/problem";
import { Cancelled } from "../../session/recent";

type Body = Schema<"BulkInputBody">;
type Result = Schema<"BulkResult">;

const code = "reauthentication_required";
const most = 100; // in one request, so that there is progress to be seen

/**
 * changeMany sends a bulk change, some tokens in a request. The server asks row by row for a recent
 * sign-in: the rows that want one are sent again after it. Who says no to that leaves them failed.
 * results keeps what became of each: where a request is lost, whoever begins again with it goes on from there.
 */
export async function changeMany(
  body: Body,
  send: (body: Body) => Promise<Result[]>,
  recently: <T>(task: () => Promise<T>) => Promise<T>,
  results = new Map<string, Result>(),
  told: (done: number) => void = () => {},
): Promise<Result[]> {
  try {
    await recently(async () => {
      const serials = body.serials.filter((serial) => results.get(serial)?.code === code || !results.has(serial));
      for (let i = 0; i < serials.length; i += most) {
        for (const result of await send({ ...body, serials: serials.slice(i, i + most) })) {
          results.set(result.serial, result);
        }
        told(results.size);
      }
      const wanting = [...results.values()].find((result) => result.code === code);
      if (wanting) throw new Problem(403, { code, detail: wanting.detail });
    });
  } catch (error) {
    const answered = error instanceof Cancelled || isProblem(error, code);
    if (!answered || results.size < body.serials.length) throw error;
  }
  return [...results.values()];
}
