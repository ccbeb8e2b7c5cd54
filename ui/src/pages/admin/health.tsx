import { SimpleGrid, Skeleton, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Loaded, Page } from "../../parts/page";
import { About } from "../../system/about";
import { Components } from "../../system/components";
import { Database } from "../../system/database";
import { Freshness } from "../../system/freshness";
import { Overall } from "../../system/overall";
import { useSystem } from "../../system/queries";
import { Storage } from "../../system/storage";
import { Tasks } from "../../system/tasks";
import { Vault } from "../../system/vault";
import { useText } from "../../text";

/** Health shows how every part of the service stands, and looks again by itself. */
export function Health() {
  const t = useText();
  const queries = useQueryClient();
  const [live, setLive] = useState(true);
  const all = useSystem(live);
  const settled = [all.vault, all.seal, all.published].every((q) => !q.isPending);

  return (
    <Page title={t.system.title}>
      <Loaded query={all.health} height={94}>
        {(report) => (
          <Overall
            report={report}
            silent={all.health.isRefetchError}
            busy={all.health.isFetching}
            live={live}
            onLive={setLive}
            onRefresh={() => void queries.invalidateQueries({ queryKey: ["system"] })}
          />
        )}
      </Loaded>
      <Loaded query={all.info} height={68}>
        {(info) => <About info={info} />}
      </Loaded>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Stack gap="md">
          <Loaded query={all.health} height={470}>
            {(report) => <Components parts={report.components} />}
          </Loaded>
          <Loaded query={all.database} height={380}>
            {(report) => <Database report={report} />}
          </Loaded>
        </Stack>
        <Stack gap="md">
          {settled ? (
            <Freshness vault={all.vault} seal={all.seal} published={all.published} />
          ) : (
            <Skeleton height={340} radius="lg" />
          )}
          <Loaded query={all.vault} height={240}>
            {(report) => <Vault report={report} />}
          </Loaded>
          <Loaded query={all.storage} height={330}>
            {(report) => <Storage data={report.data} />}
          </Loaded>
        </Stack>
      </SimpleGrid>
      <Loaded query={all.jobs} height={560}>
        {(report) => <Tasks items={report.items} />}
      </Loaded>
    </Page>
  );
}
