import { Button, Stack } from "@mantine/core";
import { IconDatabaseExport } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { Empty, Loaded, Panel } from "../parts/page";
import { ProblemAlert } from "../parts/problem";
import { useText } from "../text";
import { Facts } from "./facts";
import { BackupList } from "./list";
import { FailedBackup } from "./notices";
import { useLatest, useList, useWatched } from "./queries";
import { RemoveBackup } from "./questions";
import { RunningJob } from "./running";
import { failed } from "./standing";
import type { Item, Stored } from "./types";

type Props = {
  settings: Stored;
  onSetUp: () => void;
  onDetails: () => void;
};

/** Overview shows how backups stand, what runs, and which there are. */
export function Overview({ settings, onSetUp, onDetails }: Props) {
  const words = useText().backups;
  const queries = useQueryClient();
  const [removing, setRemoving] = useState<Item | null>(null);
  const onOver = useCallback(() => {
    for (const part of ["list", "latest", "jobs", "settings"]) {
      void queries.invalidateQueries({ queryKey: ["backups", part] });
    }
  }, [queries]);
  const { query, job, dismiss } = useWatched(onOver);
  const latest = useLatest("backup").data ?? null;
  const last = useLatest("backup", "Completed");
  const list = useList();

  const empty = list.data?.items.length === 0 && !last.data && !job;
  if (!settings.encryption_password_set && empty) {
    return (
      <Panel>
        <Empty
          icon={IconDatabaseExport}
          title={words.first.title}
          text={words.first.text}
          action={<Button onClick={onSetUp}>{words.first.action}</Button>}
        />
      </Panel>
    );
  }
  // What the panel above tells of already needs no second notice.
  const trouble = latest && failed(latest) && latest.job_id !== job?.job_id ? latest : null;
  return (
    <Stack gap="md">
      {query.isError && !query.data ? <ProblemAlert error={query.error} onRetry={() => void query.refetch()} /> : null}
      {job ? <RunningJob job={job} onDismiss={dismiss} /> : null}
      {trouble ? <FailedBackup job={trouble} onDetails={onDetails} /> : null}
      <Loaded query={last} height={{ base: 142, sm: 82 }}>
        {(made) => <Facts last={made?.finished_at ?? null} settings={settings} troubled={trouble !== null} />}
      </Loaded>
      <Loaded query={list} height={260}>
        {({ items, total }) => (
          <>
            <BackupList items={items} total={total} onRemove={setRemoving} />
            <RemoveBackup item={removing} only={total === 1} onClose={() => setRemoving(null)} />
          </>
        )}
      </Loaded>
    </Stack>
  );
}
