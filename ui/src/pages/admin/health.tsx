import { SimpleGrid, Skeleton, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Loaded, Page } from "../../parts/page";
import { ProblemAlert } from "../../parts/problem";
import { About } from "../../system/about";
import { Components } from "../../system/components";
import { Database } from "../../system/database";
import { Freshness } from "../../system/freshness";
import { Overall } from "../../system/overall";
import { useSystem } from "../../system/queries";
import { Recovery, toldOf } from "../../system/recovery";
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
      <Loaded query={all.health} height={{ base: 149, xs: 94 }} wait={all.recovery.isPending}>
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
      {all.recovery.data ? <Recovery report={all.recovery.data} /> : null}
      {all.recovery.isError && !all.recovery.data ? (
        <ProblemAlert error={all.recovery.error} onRetry={() => void all.recovery.refetch()} />
      ) : null}
      <Loaded query={all.info} height={{ base: 247, xs: 140, lg: 78 }}>
        {(info) => <About info={info} />}
      </Loaded>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Stack gap="md">
          <Loaded query={all.health} height={385}>
            {(report) => <Components parts={report.components} told={toldOf(all.recovery.data)} />}
          </Loaded>
          <Loaded query={all.database} height={401}>
            {(report) => <Database report={report} />}
          </Loaded>
        </Stack>
        <Stack gap="md">
          {settled ? (
            <Freshness vault={all.vault} seal={all.seal} published={all.published} />
          ) : (
            <Skeleton height={318} radius="lg" />
          )}
          <Loaded query={all.vault} height={{ base: 355, xs: 245 }}>
            {(report) => <Vault report={report} />}
          </Loaded>
          <Loaded query={all.storage} height={340}>
            {(report) => <Storage report={report} />}
          </Loaded>
        </Stack>
      </SimpleGrid>
      <Loaded query={all.jobs} height={{ base: 807, sm: 555 }}>
        {(report) => <Tasks items={report.items} />}
      </Loaded>
    </Page>
  );
}
