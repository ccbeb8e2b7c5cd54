import { Button, Stack } from "@mantine/core";
import { IconDatabaseExport } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { Empty, Loaded, Panel } from "../parts/page";
import { ProblemAlert } from "../parts/problem";
import { useMay } from "../session/hooks";
import { useText } from "../text";
import { Facts } from "./facts";
import { BackupList } from "./list";
import { Notices, Overdue } from "./notices";
import { active } from "./phases";
import { useLatest, useList, useUnfinished, useWatched } from "./queries";
import { ProveBackup, RemoveBackup } from "./questions";
import { RestoreDialog } from "./restore/dialog";
import { RetryDialog } from "./restore/retry";
import { RunningJob } from "./running";
import { type Notice, noticesOf } from "./standing";
import type { Item, Job, Stored } from "./types";

type Props = {
  settings: Stored;
  onSetUp: () => void;
  onDetails: () => void;
};

type Open = { what: "restore" | "prove" | "remove"; item: Item } | { what: "latest" } | { what: "retry"; job: Job };

/** Overview shows how backups stand, what runs, and which there are. */
export function Overview({ settings, onSetUp, onDetails }: Props) {
  const words = useText().backups;
  const queries = useQueryClient();
  const may = useMay();
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const onOver = useCallback(() => {
    for (const part of ["list", "latest", "jobs", "settings"]) {
      void queries.invalidateQueries({ queryKey: ["backups", part] });
    }
  }, [queries]);
  const { query, job, dismiss } = useWatched(onOver);
  const latest = { backup: useLatest("backup"), drill: useLatest("drill"), unfinished: useUnfinished() };
  const done = { backup: useLatest("backup", "Completed"), drill: useLatest("drill", "Completed") };
  const list = useList();

  const busy = job !== null && active(job);
  const empty = list.data?.items.length === 0 && !done.backup.data && !job;
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
  const at = (j: Job | null | undefined) => j?.finished_at ?? null;
  // What the panel above tells of already needs no second notice.
  const notices = noticesOf({
    backup: latest.backup.data ?? null,
    drill: latest.drill.data ?? null,
    unfinished: latest.unfinished.data ?? null,
  }).filter((n) => n.job.job_id !== job?.job_id || n.kind === "incomplete");
  const failed = (kind: Notice["kind"]) => notices.some((n) => n.kind === kind);
  // That it failed says more than that it is missing.
  const due = {
    overdue_at: failed("failed") ? null : settings.overdue_at,
    drill_overdue_at: failed("drillFailed") ? null : settings.drill_overdue_at,
  };
  const item = open && "item" in open ? open.item : null;
  const wait = done.backup.isPending || done.drill.isPending;
  return (
    <Stack gap="md">
      {query.isError && !query.data ? <ProblemAlert error={query.error} onRetry={() => void query.refetch()} /> : null}
      {job ? <RunningJob job={job} onDismiss={dismiss} /> : null}
      <Notices
        notices={notices}
        busy={busy}
        onRetry={(failed) => setOpen({ what: "retry", job: failed })}
        onDetails={onDetails}
      />
      <Overdue settings={due} onDetails={onDetails} />
      <Loaded query={done.backup} wait={wait} height={{ base: 232, sm: 98 }}>
        {(last) => (
          <Facts
            last={at(last)}
            proven={at(done.drill.data)}
            settings={settings}
            troubled={failed("failed") || settings.overdue_at !== null}
            doubtful={failed("drillFailed") || settings.drill_overdue_at !== null}
            onProve={
              may("drill-backup") && last && !busy && settings.encryption_password_set
                ? () => setOpen({ what: "latest" })
                : undefined
            }
          />
        )}
      </Loaded>
      <Loaded query={list} height={260}>
        {({ items, total }) => (
          <>
            <BackupList
              items={items}
              total={total}
              busy={busy}
              onRestore={(of) => setOpen({ what: "restore", item: of })}
              onProve={(of) => setOpen({ what: "prove", item: of })}
              onRemove={(of) => setOpen({ what: "remove", item: of })}
            />
            <RemoveBackup item={open?.what === "remove" ? item : null} only={total === 1} onClose={close} />
            <ProveBackup item={open?.what === "prove" ? item : null} latest={open?.what === "latest"} onClose={close} />
            {open?.what === "restore" ? <RestoreDialog items={items} first={open.item} onClose={close} /> : null}
          </>
        )}
      </Loaded>
      {open?.what === "retry" ? <RetryDialog job={open.job} onClose={close} /> : null}
    </Stack>
  );
}
