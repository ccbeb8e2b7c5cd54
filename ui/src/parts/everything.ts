import { retry } from "./retry";

type Page<T> = { items: T[]; next_cursor: string | null };
type Fetch<T> = (cursor: string | undefined, limit: number) => Promise<Page<T>>;

const most = 500; // in one request

/** pages asks for all that a list has, page by page, and hands each on. */
export async function pages<T>(fetch: Fetch<T>, take: (items: T[]) => void, signal?: AbortSignal): Promise<void> {
  let cursor: string | undefined;
  do {
    signal?.throwIfAborted();
    const page = await retry(() => fetch(cursor, most));
    take(page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  signal?.throwIfAborted();
}

/** everything is all that a list has; told: how many there are so far. */
export async function everything<T>(fetch: Fetch<T>, told: (n: number) => void = () => {}): Promise<T[]> {
  const all: T[] = [];
  await pages(fetch, (items) => {
    all.push(...items);
    told(all.length);
  });
  return all;
}
