type Page<T> = { items: T[]; next_cursor: string | null };

const most = 500; // in one request

/** everything asks for all that a list has, page by page; told: how many there are so far. */
export async function everything<T>(
  fetch: (cursor: string | undefined, limit: number) => Promise<Page<T>>,
  told: (n: number) => void = () => {},
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await fetch(cursor, most);
    all.push(...page.items);
    told(all.length);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}
