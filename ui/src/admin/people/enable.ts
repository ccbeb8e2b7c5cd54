import type { Schema } from "../../api/client";

const most = 200; // in one request

/** enableMany enables accounts, some hundred in a request: a request does all of its accounts or none. It may be repeated. */
export async function enableMany(
  ids: readonly number[],
  send: (ids: number[]) => Promise<Schema<"EnabledUsers">>,
): Promise<number> {
  let enabled = 0;
  for (let i = 0; i < ids.length; i += most) {
    enabled += (await send(ids.slice(i, i + most))).enabled;
  }
  return enabled;
}
