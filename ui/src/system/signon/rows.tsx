import { ActionIcon, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconArrowRight, IconPlus, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useText } from "../../text";
import type { Row } from "./draft";
import classes from "./rows.module.css";

type Props<T> = {
  label: string;
  hint: string;
  value: Row<T>[];
  onChange: (rows: Row<T>[]) => void;
  /** Chooses what a value stands for. */
  pick: (to: T | null, onPick: (to: T | null) => void) => ReactNode;
  error: ReactNode;
};

/** Rows edits which value of a claim stands for what. */
export function Rows<T>({ label, hint, value: rows, onChange, pick, error }: Props<T>) {
  const words = useText().settings.signon;
  const set = (key: number, change: Partial<Row<T>>) =>
    onChange(rows.map((r) => (r.key === key ? { ...r, ...change } : r)));
  const next = Math.max(-1, ...rows.map((r) => r.key)) + 1;
  return (
    <fieldset style={{ border: 0, padding: 0, margin: 0, minWidth: 0 }}>
      <Text component="legend" size="sm" fw={600} p={0}>
        {label}
      </Text>
      <Text size="xs" c="dimmed" mb={6}>
        {rows.length === 0 ? words.noRows : hint}
      </Text>
      <Stack gap="xs">
        {rows.map((row) => (
          <div key={row.key} className={classes.row}>
            <TextInput
              aria-label={words.value}
              placeholder={words.value}
              maxLength={256}
              value={row.value}
              onChange={(e) => set(row.key, { value: e.currentTarget.value })}
            />
            <IconArrowRight size={16} aria-hidden className={classes.arrow} />
            <div className={classes.to}>{pick(row.to, (to) => set(row.key, { to }))}</div>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={words.removeRow(row.value)}
              onClick={() => onChange(rows.filter((r) => r.key !== row.key))}
            >
              <IconTrash size={17} aria-hidden />
            </ActionIcon>
          </div>
        ))}
        {error ? (
          <Text size="xs" c="var(--mantine-color-error)" role="alert">
            {error}
          </Text>
        ) : null}
        <Group>
          <Button
            size="compact-sm"
            variant="light"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => onChange([...rows, { key: next, value: "", to: null }])}
          >
            {words.addRow}
          </Button>
        </Group>
      </Stack>
    </fieldset>
  );
}
