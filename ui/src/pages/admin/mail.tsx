import { Button, Stack, Tabs } from "@mantine/core";
import { IconMail } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import { Messages } from "../../mail/messages";
import { useSettings } from "../../mail/queries";
import { MailSettings } from "../../mail/settings/form";
import { Standing } from "../../mail/standing";
import { oneOf } from "../../parts/address";
import { Empty, Loaded, Page, Panel } from "../../parts/page";
import { Leaving } from "../../system/leaving";
import { useText } from "../../text";

const tabs = ["messages", "settings"] as const;

/** MailPage is the page about mail: what was sent and what was not, and by which server. */
export function MailPage() {
  const words = useText().mail;
  const search: { tab?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [dirty, setDirty] = useState(false);
  const onDirty = useCallback((changed: boolean) => setDirty(changed), []);
  const settings = useSettings();
  const tab = oneOf(typeof search.tab === "string" ? search.tab : undefined, tabs) ?? "messages";
  const [visited, setVisited] = useState(false);
  if (tab === "settings" && !visited) setVisited(true);
  const go = (next: string | null) =>
    void navigate({ to: "/system/mail", search: (next === "settings" ? { tab: next } : {}) as never, replace: true });
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
        <Tabs.Panel value="messages">
          <Loaded query={settings} height={360}>
            {(stored) =>
              stored.host ? (
                <Stack gap="md">
                  <Standing settings={stored} onSettings={() => go("settings")} />
                  <Messages settings={stored} />
                </Stack>
              ) : (
                <Panel>
                  <Empty
                    icon={IconMail}
                    title={words.first.title}
                    text={words.first.text}
                    action={<Button onClick={() => go("settings")}>{words.first.action}</Button>}
                  />
                </Panel>
              )
            }
          </Loaded>
        </Tabs.Panel>
        {/* Once seen it stays: what is typed there survives a look at the other. */}
        <Tabs.Panel value="settings" keepMounted>
          {visited ? (
            <Loaded query={settings} height={700}>
              {(stored) => <MailSettings stored={stored} onDirty={onDirty} />}
            </Loaded>
          ) : null}
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
