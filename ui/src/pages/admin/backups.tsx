import { Button, Tabs } from "@mantine/core";
import { IconDatabaseExport } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import { trigger } from "../../backup/calls";
import { Jobs } from "../../backup/jobs";
import { Overview } from "../../backup/overview";
import { began, useRunning, useSettings } from "../../backup/queries";
import { BackupSettings } from "../../backup/settings/form";
import { oneOf } from "../../parts/address";
import { Loaded, Page } from "../../parts/page";
import { done, tell } from "../../parts/problem";
import { useGranted } from "../../parts/wish";
import { useMay } from "../../session/hooks";
import { useRecent } from "../../session/recent";
import { Leaving } from "../../system/leaving";
import { useText } from "../../text";

const tabs = ["backups", "jobs", "settings"] as const;

/** Backups is the page about copies of everything: which there are, whether they are good, and how to go back to one. */
export function Backups() {
  const words = useText().backups;
  const search: { tab?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [dirty, setDirty] = useState(false);
  const onDirty = useCallback((changed: boolean) => setDirty(changed), []);
  const settings = useSettings();
  const tab = oneOf(typeof search.tab === "string" ? search.tab : undefined, tabs) ?? "backups";
  const [visited, setVisited] = useState(false);
  if (tab === "settings" && !visited) setVisited(true);
  const go = (next: string | null) =>
    void navigate({
      to: "/system/backups",
      search: next && next !== "backups" ? { tab: next } : {},
      replace: true,
    });
  return (
    <Page
      title={words.title}
      actions={settings.data?.encryption_password_set ? <BackUpNow onBegun={() => go("backups")} /> : null}
    >
      <Leaving dirty={dirty} />
      <Tabs value={tab} onChange={go} keepMounted={false}>
        <Tabs.List mb="md">
          {tabs.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {words.tabs[name] + (name === "settings" && dirty ? " •" : "")}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="backups">
          <Loaded query={settings} height={300}>
            {(stored) => <Overview settings={stored} onSetUp={() => go("settings")} onDetails={() => go("jobs")} />}
          </Loaded>
        </Tabs.Panel>
        <Tabs.Panel value="jobs">
          <Jobs />
        </Tabs.Panel>
        {/* Once seen they stay: what is typed there survives a look at the others. */}
        <Tabs.Panel value="settings" keepMounted>
          {visited ? <BackupSettings onDirty={onDirty} /> : null}
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

/** BackUpNow begins a full backup, unless something runs. */
function BackUpNow({ onBegun }: { onBegun: () => void }) {
  const words = useText().backups;
  const may = useMay();
  const recently = useRecent();
  const queries = useQueryClient();
  const running = useRunning();
  const begin = useMutation({
    mutationFn: async () => began(queries, await recently(() => trigger("full"))),
    onSuccess: () => {
      done(words.begun.backup);
      onBegun();
    },
    onError: tell,
  });
  useGranted("backup", () => begin.mutate(), may("trigger-backup") && running.isSuccess && !running.data);
  if (!may("trigger-backup")) return null;
  return (
    <Button
      leftSection={<IconDatabaseExport size={16} aria-hidden />}
      loading={begin.isPending}
      disabled={Boolean(running.data)}
      onClick={() => begin.mutate()}
    >
      {words.now}
    </Button>
  );
}
