import { Tabs } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import { oneOf } from "../../admin/address";
import { Jobs } from "../../backup/jobs";
import { Overview } from "../../backup/overview";
import { useSettings } from "../../backup/queries";
import { BackupSettings } from "../../backup/settings/form";
import { Loaded, Page } from "../../parts/page";
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
    <Page title={words.title}>
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
