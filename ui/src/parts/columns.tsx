import { Button, Checkbox, Popover, Stack, Text } from "@mantine/core";
import { IconColumns3 } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { useText } from "../text";
import { useAddress } from "./address";
import { store, stored } from "./stored";

export type Breakpoint = "xs" | "sm" | "md" | "lg" | "xl";

/** What a column must tell to be chosen. */
export type Choosable = {
  id: string;
  header: ReactNode;
  /** Left out on screens narrower than this breakpoint. One without it stays always. */
  from?: Breakpoint;
  /** Shown to whoever asks for it. */
  optional?: boolean;
};

/** Mantine's own breakpoints. */
const widths: Record<Breakpoint, string> = { xs: "36em", sm: "48em", md: "62em", lg: "75em", xl: "88em" };

/** fits tells whether there is room for a column that is shown from a width on. */
export const fits = (from: Breakpoint | undefined) =>
  from === undefined || matchMedia(`(min-width: ${widths[from]})`).matches;

type Choice = Readonly<Record<string, boolean>>;

/** readChoice takes from what this browser remembers the columns that somebody showed or hid. */
export function readChoice(value: unknown): Choice {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, shown]) => typeof shown === "boolean"));
}

/** fromAddress reads the columns that an address shows, and with "-" those that it hides. */
export function fromAddress(text: string | undefined): Choice | undefined {
  if (!text) return undefined;
  return Object.fromEntries(text.split(",").map((c) => (c.startsWith("-") ? [c.slice(1), false] : [c, true])));
}

/** chosenColumns is how this browser shows a list, for an address; empty: as usual. */
export function chosenColumns(list: string): string {
  return Object.entries(readChoice(stored(`columns-${list}`)))
    .map(([id, shown]) => (shown ? id : `-${id}`))
    .join(",");
}

/** isShown tells whether a column is among those that somebody wants. */
export function isShown({ id, from, optional = false }: Choosable, choice: Choice): boolean {
  return !from || (choice[id] ?? !optional);
}

type Chosen<C> = {
  columns: C[];
  /** change shows or hides a column; null: all are as they were at first. */
  change: (to: { id: string; shown: boolean } | null) => void;
  changed: boolean;
};

/** useChosen gives the columns of a list that somebody wants to see. This browser remembers them by the list's name. */
export function useChosen<C extends Choosable>(list: string | undefined, columns: C[]): Chosen<C> {
  const key = `columns-${list}`;
  const address = useAddress();
  const asked = list ? fromAddress(address.get("columns")) : undefined;
  const [kept, setChoice] = useState(() => (list ? readChoice(stored(key)) : {}));
  const choice = asked ?? kept;
  return {
    columns: columns.filter((c) => isShown(c, choice)),
    change: (to) => {
      const next = to ? { ...choice, [to.id]: to.shown } : {};
      store(key, next);
      setChoice(next);
      if (asked) address.open({ columns: undefined });
    },
    changed: Object.keys(choice).length > 0,
  };
}

type Props = { all: readonly Choosable[]; chosen: Chosen<Choosable> };

/** ColumnMenu is where the columns of a list are chosen. */
export function ColumnMenu({ all, chosen }: Props) {
  const words = useText().common.columns;
  const [opened, setOpened] = useState(false);
  const shown = new Set(chosen.columns.map((c) => c.id));
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          visibleFrom="sm"
          leftSection={<IconColumns3 size={15} aria-hidden />}
          onClick={() => setOpened(!opened)}
        >
          {words.button}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={words.button}>
        <Stack gap="xs">
          {all.map(({ id, header, from }) => {
            if (!from || typeof header !== "string") return null;
            const roomy = !opened || fits(from);
            return (
              <Checkbox
                key={id}
                size="sm"
                label={header}
                description={roomy ? undefined : words.narrow}
                disabled={!roomy}
                checked={shown.has(id)}
                onChange={(e) => chosen.change({ id, shown: e.currentTarget.checked })}
              />
            );
          })}
          {chosen.changed ? (
            <Button size="compact-sm" variant="subtle" onClick={() => chosen.change(null)}>
              {words.reset}
            </Button>
          ) : null}
          <Text size="xs" c="dimmed">
            {words.kept}
          </Text>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
