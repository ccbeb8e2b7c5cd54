import { Button, Group, Select, Stack } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { When } from "../../parts/when";
import { Facts } from "../../system/facts";
import { bytes } from "../../system/measure";
import { useLanguage, useText } from "../../text";
import type { Item } from "../types";

type Props = {
  items: readonly Item[];
  item: Item;
  onChange: (item: Item) => void;
  onNext: () => void;
  onClose: () => void;
};

/** Choose picks which backup is restored. */
export function Choose({ items, item, onChange, onNext, onClose }: Props) {
  const t = useText();
  const words = t.backups.restore.choose;
  const language = useLanguage();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []); // on the way back, too
  const made = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
  const label = (i: Item) => {
    const size = bytes(i.size_bytes, language);
    return [made.format(new Date(i.created_at)), i.type === "full" ? "" : t.backups.types[i.type], size]
      .filter(Boolean)
      .join(" · ");
  };
  return (
    <form
      noValidate
      onSubmit={(e) => {
        e.preventDefault();
        onNext();
      }}
    >
      <Stack>
        <Select
          ref={input}
          data-autofocus
          label={words.label}
          description={words.hint}
          data={items.map((i) => ({ value: i.key, label: label(i) }))}
          value={item.key}
          allowDeselect={false}
          onChange={(key) => {
            const next = items.find((i) => i.key === key);
            if (next) onChange(next);
          }}
        />
        <Ahead item={item} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t.common.actions.cancel}
          </Button>
          <Button type="submit">{words.next}</Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Ahead is what is known of a restore before its password: of which file, and what it does. */
function Ahead({ item }: { item: Item }) {
  const t = useText();
  const { happens } = t.backups.restore;
  const vault = item.type === "vault";
  const texts = vault
    ? [
        [happens.replaced, happens.vaultOnly[0]],
        [happens.after, happens.vaultAfter],
      ]
    : [
        [happens.replaced, happens.replacedTexts[0]],
        [happens.stays, happens.staysTexts[0]],
        [happens.after, happens.afterTexts[0]],
      ];
  return (
    <Facts
      items={[
        [t.backups.jobs.file, <Named key="f" item={item} />],
        ...texts.map(([name = "", text]): [string, ReactNode] => [name, text]),
      ]}
    />
  );
}

/** Named is a backup by its file and when it was made. */
export function Named({ item }: { item: Item }) {
  return (
    <>
      <span className="mono" style={{ overflowWrap: "anywhere" }}>
        {item.key}
      </span>
      , <When at={item.created_at} as="both" />
    </>
  );
}
