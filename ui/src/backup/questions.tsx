import { Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ConfirmDialog } from "../parts/confirm";
import { done } from "../parts/problem";
import { exact } from "../parts/when";
import { useRecent } from "../session/recent";
import { bytes } from "../system/measure";
import { useLanguage, useText } from "../text";
import { drill, remove } from "./calls";
import { began } from "./queries";
import type { Item } from "./types";

/** useKept holds what a dialog is about while it fades away. */
function useKept<T>(value: T | null): T | null {
  const [kept, setKept] = useState(value);
  useEffect(() => {
    if (value !== null) setKept(value);
  }, [value]);
  return kept;
}

type Props = { item: Item | null; onClose: () => void };

/** RemoveBackup asks before a backup is deleted. */
export function RemoveBackup({ item, onClose, only }: Props & { only: boolean }) {
  const words = useText().backups.list;
  const language = useLanguage();
  const queries = useQueryClient();
  const recently = useRecent();
  const kept = useKept(item);
  const act = async () => {
    if (!kept) return;
    await recently(() => remove(kept.key));
    done(words.removed);
    await queries.invalidateQueries({ queryKey: ["backups", "list"] });
  };
  return (
    <ConfirmDialog
      opened={item !== null}
      onClose={onClose}
      onConfirm={act}
      title={words.removeTitle}
      action={words.remove}
      danger
    >
      <Text size="sm">{only ? words.removeLast : words.removeText}</Text>
      {kept ? (
        <Text size="sm" fw={600}>
          {exact(kept.created_at, language)} · {bytes(kept.size_bytes, language)}
        </Text>
      ) : null}
      <Text size="sm" className="mono">
        {kept?.key}
      </Text>
    </ConfirmDialog>
  );
}

/** ProveBackup says what a trial restore is, and begins one. latest: of whichever backup is the latest. */
export function ProveBackup({ item, latest, onClose }: Props & { latest: boolean }) {
  const { list: words, begun } = useText().backups;
  const queries = useQueryClient();
  const recently = useRecent();
  const kept = useKept(item);
  const act = async () => {
    await began(queries, await recently(() => drill(latest ? undefined : kept?.key)));
    done(begun.drill);
  };
  return (
    <ConfirmDialog
      opened={latest || item !== null}
      onClose={onClose}
      onConfirm={act}
      title={words.proveTitle}
      action={words.proveAction}
    >
      <Text size="sm">{words.proveText}</Text>
      <Text size="sm" className={latest ? undefined : "mono"}>
        {latest ? words.proveLatest : kept?.key}
      </Text>
    </ConfirmDialog>
  );
}
