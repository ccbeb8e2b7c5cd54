import type { Schema } from "../../api/client";

type User = Schema<"User">;
type Page = { items: User[]; next_cursor: string | null };

const most = { enabled: 200, listed: 500 }; // in one request

/** everyone asks for all that match, page by page. */
export async function everyone(fetch: (cursor: string | undefined, limit: number) => Promise<Page>): Promise<User[]> {
  const all: User[] = [];
  let cursor: string | undefined;
  do {
    const page = await fetch(cursor, most.listed);
    all.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

/** enableMany enables accounts, some hundred in a request: a request does all of its accounts or none. It may be repeated. */
export async function enableMany(
  ids: readonly number[],
  send: (ids: number[]) => Promise<Schema<"EnabledUsers">>,
): Promise<number> {
  let enabled = 0;
  for (let i = 0; i < ids.length; i += most.enabled) {
    enabled += (await send(ids.slice(i, i + most.enabled))).enabled;
  }
  return enabled;
}
