import { Stack, Tabs } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import { Page } from "../../parts/page";
import { Leaving } from "../../system/leaving";
import { PolicySettings } from "../../system/policy/form";
import { SignOnSettings } from "../../system/signon/form";
import { useText } from "../../text";

/** Settings is the page of what global administrators set while the server runs. */
export function Settings() {
  const words = useText().settings;
  const search: { tab?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [policy, setPolicy] = useState(false);
  const [signOn, setSignOn] = useState(false);
  const tab = search.tab === "sso" ? "sso" : "passwords";
  const onPolicy = useCallback((dirty: boolean) => setPolicy(dirty), []);
  const onSignOn = useCallback((dirty: boolean) => setSignOn(dirty), []);
  const mark = (dirty: boolean) => (dirty ? " •" : "");
  return (
    <Page title={words.title}>
      <Leaving dirty={policy || signOn} />
      {/* Both stay mounted: what is typed in one survives a look at the other. */}
      <Tabs
        value={tab}
        onChange={(next) =>
          void navigate({ to: "/system/settings", search: next === "sso" ? { tab: "sso" } : {}, replace: true })
        }
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="passwords">{words.tabs.passwords + mark(policy)}</Tabs.Tab>
          <Tabs.Tab value="sso">{words.tabs.signon + mark(signOn)}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="passwords">
          <Stack>
            <PolicySettings onDirty={onPolicy} />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="sso">
          <SignOnSettings onDirty={onSignOn} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
