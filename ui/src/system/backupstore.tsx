import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Schema } from "../api/client";
import { foundSaid } from "../parts/explain";
import { TextLink } from "../parts/link";
import { Warning } from "../parts/warning";
import { When } from "../parts/when";
import { useLanguage, useText } from "../text";
import { Facts } from "./facts";
import { bytes } from "./measure";

/** BackupStore says where backups go, and whether the server reaches them there. */
export function BackupStore({ store }: { store: Schema<"StorageReport">["backup_store"] }) {
  const t = useText();
  const words = t.system.storage.backups;
  const language = useLanguage();
  const items: [string, ReactNode][] = [];
  if (store.status !== "not_configured") {
    items.push([
      store.kind === "s3" ? words.bucket : words.directory,
      <span key="l" className="mono">
        {store.location}
      </span>,
    ]);
    if (store.status === "ok") items.push([words.number, new Intl.NumberFormat(language).format(store.backups)]);
    if (store.free_bytes !== null && store.total_bytes !== null) {
      const free = t.system.storage.free(bytes(store.free_bytes, language), bytes(store.total_bytes, language));
      items.push([words.room, free]);
    }
    items.push([words.checked, <When key="c" at={store.checked_at} />]);
  }
  return (
    <Stack gap={6}>
      <Text component="h3" size="sm" fw={600} m={0}>
        {words.title}
      </Text>
      {store.status === "failed" ? (
        <Warning danger title={words.failed}>
          {foundSaid({ ...store, message: store.detail }, t, language)}
        </Warning>
      ) : null}
      {items.length > 0 ? (
        <Facts items={items} />
      ) : (
        <Text size="sm" c="dimmed">
          {words.none}{" "}
          <TextLink to="/system/backups" inherit underline="always">
            {words.setUp}
          </TextLink>
        </Text>
      )}
    </Stack>
  );
}
