import { Button, Group, Select, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useLanguage, useText } from "../text";
import type { Count } from "./count";
import { type Pagination, sizes } from "./pagination";

/** How far the server counts a list. */
const countTo = 10_000;

/** useTotal says how many there are: exactly, or as far as they were counted. */
export function useTotal(): (count: Count) => string {
  const words = useText().common.paging;
  const format = new Intl.NumberFormat(useLanguage());
  return ({ total, total_is_exact: exact }) => {
    const n = format.format(total);
    if (exact) return n;
    return total >= countTo ? words.moreThan(n) : words.atLeast(n);
  };
}

type PagerProps = {
  place: Pagination;
  /** The next page; null: there is none. */
  next: string | null | undefined;
  /** How many rows stand on this one. */
  shown: number;
  count: Count | undefined;
  /** The page is on its way: it is too early for the next one. */
  wait: boolean;
  /** The size of a page can be chosen. */
  sized: boolean;
  /** turn is told of each step. */
  turn: (go: () => void) => void;
};

/** Pager says which rows of a list these are, and leads to the others. A list of one page needs none. */
export function Pager({ place, next, shown, count, wait, sized, turn }: PagerProps) {
  const words = useText().common.paging;
  const format = new Intl.NumberFormat(useLanguage());
  const total = useTotal();
  const many = sized && (count?.total ?? 0) > sizes[0];
  if (!next && !place.cursor && !many) return null;
  const from = place.page === null ? null : (place.page - 1) * place.size + 1;
  const range = from && shown > 0 ? words.range(format.format(from), format.format(from + shown - 1)) : "";
  return (
    <Group justify="space-between" mt="sm" gap="xs">
      <Text size="sm" c="dimmed" className="numbers">
        {count && range ? words.of(range, total(count)) : range}
      </Text>
      <Group gap="xs">
        {many ? (
          <Select
            aria-label={words.size}
            size="sm"
            w={150}
            allowDeselect={false}
            value={String(place.size)}
            onChange={(size) => turn(() => place.resize(Number(size)))}
            data={sizes.map((n) => ({ value: String(n), label: words.rows(n) }))}
          />
        ) : null}
        <Steps
          first={place.first && (() => turn(() => place.first?.()))}
          previous={place.previous && (() => turn(() => place.previous?.()))}
          next={next ? () => turn(() => place.next(next)) : null}
          wait={wait}
        />
      </Group>
    </Group>
  );
}

type StepsProps = {
  first?: (() => void) | null;
  previous: (() => void) | null;
  next: (() => void) | null;
  wait?: boolean;
};

/** Steps lead through pages; null: there is nothing that way. */
export function Steps({ first = null, previous, next, wait = false }: StepsProps) {
  const words = useText().common;
  return (
    <Group gap="xs">
      {first ? <Turn onClick={first}>{words.paging.first}</Turn> : null}
      <Turn onClick={previous}>{words.actions.previous}</Turn>
      <Turn onClick={next} wait={wait}>
        {words.actions.next}
      </Turn>
    </Group>
  );
}

type TurnProps = { wait?: boolean; onClick: (() => void) | null; children: ReactNode };

/** Turn goes to another page. Off or waiting for one it does nothing, but keeps the focus that it has. */
function Turn({ wait = false, onClick, children }: TurnProps) {
  return (
    <Button
      variant="default"
      aria-disabled={!onClick || wait || undefined}
      data-disabled={!onClick || undefined}
      onClick={onClick && !wait ? onClick : undefined}
    >
      {children}
    </Button>
  );
}
