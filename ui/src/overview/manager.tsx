import { Grid, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useAgent } from "../agent/state";
import type { Schema } from "../api/client";
import { Loaded, Panel } from "../parts/page";
import { useMay, useMe } from "../session/hooks";
import { useLanguage, useText } from "../text";
import { Charts } from "./charts";
import { together } from "./fleet";
import { fleetTasks } from "./fleettasks";
import { Glance } from "./glance";
import { mineTasks } from "./minetasks";
import { OwnTokens } from "./owntokens";
import { crlQuery, lockedQuery, reportQuery, rotationsQuery, sealQuery } from "./queries";
import { Nothing, Todo } from "./todo";

/** ManagerOverview is the first page of whoever looks after others' tokens. */
export function ManagerOverview({ tokens }: { tokens: Schema<"HWKey">[] }) {
  const report = useQuery(reportQuery);
  const fleet = report.data ? together(report.data) : undefined;
  return (
    <Stack gap="md">
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Todos tokens={tokens} report={report} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="md">
            <Glance />
            {tokens.length > 0 ? <OwnTokens tokens={tokens} /> : null}
          </Stack>
        </Grid.Col>
      </Grid>
      {fleet ? <Charts fleet={fleet} /> : null}
    </Stack>
  );
}

type Query = ReturnType<typeof useQuery<Schema<"ComplianceReport">>>;

function Todos({ tokens, report }: { tokens: Schema<"HWKey">[]; report: Query }) {
  const t = useText();
  const me = useMe();
  const may = useMay();
  const language = useLanguage();
  const agent = useAgent();
  const rotations = useQuery(rotationsQuery).data;
  const locked = useQuery(lockedQuery).data;
  const crl = useQuery(crlQuery).data;
  const seal = useQuery({ ...sealQuery, enabled: may("audit-seal") }).data;
  return (
    <Panel title={t.overview.todo.title}>
      <Loaded query={report} height={180}>
        {(data) => {
          const mine = tokens.map((k) => k.serial);
          const others = rotations && { ...rotations, items: rotations.items.filter((k) => !mine.includes(k.serial)) };
          const facts = { fleet: together(data), rotations: others, locked, crl, seal };
          const tasks = [...mineTasks(t, tokens, agent.kind), ...fleetTasks(t, language, facts)];
          return tasks.length > 0 ? (
            <Todo tasks={tasks} />
          ) : (
            <Nothing title={t.overview.todo.nothing(me.username)} text={t.overview.todo.nothingAll} />
          );
        }}
      </Loaded>
    </Panel>
  );
}
