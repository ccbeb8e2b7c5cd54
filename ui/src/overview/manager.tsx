import { Button, Grid, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { casQuery } from "../admin/cas/queries";
import { useAgent } from "../agent/state";
import type { Schema } from "../api/client";
import { Loaded, Panel } from "../parts/page";
import { called } from "../parts/person";
import { useSettled } from "../parts/settle";
import { useMay, useMe } from "../session/hooks";
import { useLanguage, useText } from "../text";
import { useCards } from "./cards";
import { Charts } from "./charts";
import { Failures } from "./failures";
import { open } from "./firststeps";
import { FirstSteps, useHidden } from "./firststepslist";
import { together } from "./fleet";
import { fleetTasks } from "./fleettasks";
import { HealthPanel } from "./healthpanel";
import { mineTasks } from "./minetasks";
import { OwnTokens } from "./owntokens";
import { crlQuery, firstStepsQuery, lockedQuery, reportQuery, rotationsQuery, sealQuery } from "./queries";
import { Nothing, Todo } from "./todo";
import type { Own } from "./user";

/** ManagerOverview is the first page of whoever looks after others' tokens. */
export function ManagerOverview({ tokens, certificates }: Own) {
  const report = useQuery(reportQuery);
  const fleet = report.data ? together(report.data) : undefined;
  const asked = useAsked(report, certificates);
  // Tasks come in the order of their weight, not of the answers.
  const shown = useSettled(asked.all.every((q) => !q.isPending));
  const [hidden, setHidden] = useHidden();
  if (!shown) return <Waiting />;
  const steps = asked.steps.data;
  const begins = steps !== undefined && open(steps).length > 0;
  return (
    <Stack gap="md">
      {begins && !hidden ? <FirstSteps steps={steps} onHide={() => setHidden(true)} /> : null}
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Todos tokens={tokens} report={report} asked={asked} more={begins && !hidden} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="md">
            <HealthPanel />
            {tokens.length > 0 ? <OwnTokens tokens={tokens} /> : null}
          </Stack>
        </Grid.Col>
      </Grid>
      {fleet ? <Charts fleet={fleet} /> : null}
      {begins && hidden ? <Again onShow={() => setHidden(false)} /> : null}
    </Stack>
  );
}

/** Again brings the first steps back that somebody put away. */
function Again({ onShow }: { onShow: () => void }) {
  const words = useText().overview.firstSteps;
  return (
    <Button variant="subtle" size="xs" onClick={onShow} style={{ alignSelf: "flex-start" }}>
      {words.show}
    </Button>
  );
}

type Query = ReturnType<typeof useQuery<Schema<"ComplianceReport">>>;

/** useAsked asks for what the report does not say. */
function useAsked(report: Query, certificates: Own["certificates"]) {
  const may = useMay();
  const rotations = useQuery(rotationsQuery);
  const locked = useQuery(lockedQuery);
  const crl = useQuery(crlQuery);
  const seals = may("audit-seal");
  const seal = useQuery({ ...sealQuery, enabled: seals });
  const looks = may("system-first-steps");
  const steps = useQuery({ ...firstStepsQuery, enabled: looks });
  const rules = may("request-ca");
  const cas = useQuery({ ...casQuery, enabled: rules });
  // There is nothing to do only where everything was asked and answered.
  const all = [
    ...[report, certificates, rotations, locked, crl],
    ...(seals ? [seal] : []),
    ...(looks ? [steps] : []),
    ...(rules ? [cas] : []),
  ];
  return { certificates, rotations, locked, crl, seal, steps, cas, all };
}

function Waiting() {
  const t = useText();
  return <Skeleton h={{ base: 760, md: 663 }} radius="lg" role="status" aria-label={t.common.loading} />;
}

type TodosProps = {
  tokens: Schema<"HWKey">[];
  report: Query;
  asked: ReturnType<typeof useAsked>;
  /** There is more to do than these tasks. */
  more: boolean;
};

function Todos({ tokens, report, asked, more }: TodosProps) {
  const t = useText();
  const me = useMe();
  const language = useLanguage();
  const agent = useAgent();
  const cards = useCards(tokens);
  const { certificates, rotations, locked, crl, seal, cas, all: queries } = asked;
  return (
    <Panel title={t.overview.todo.title}>
      <Loaded query={report} height={180}>
        {(data) => {
          const mine = tokens.map((k) => k.serial);
          const pending = rotations.data;
          const others = pending && { ...pending, items: pending.items.filter((k) => !mine.includes(k.serial)) };
          const facts = {
            fleet: together(data),
            rotations: others,
            locked: locked.data,
            crl: crl.data,
            seal: seal.data,
            cas: cas.data?.items,
          };
          const tasks = [
            ...mineTasks(t, tokens, certificates.data ?? [], cards.seen, agent.kind),
            ...fleetTasks(t, language, facts),
          ];
          return (
            <>
              {tasks.length > 0 ? (
                <Todo tasks={tasks} />
              ) : more && queries.every((q) => q.isSuccess) && !cards.reading ? (
                <Text size="sm" c="dimmed">
                  {t.overview.todo.nothingElse}
                </Text>
              ) : queries.every((q) => q.isSuccess) && !cards.reading ? (
                <Nothing title={t.overview.todo.nothing(called(me))} text={t.overview.todo.nothingAll} />
              ) : queries.some((q) => q.isPending) || cards.reading ? (
                <Skeleton height={52} role="status" aria-label={t.common.loading} />
              ) : null}
              <Failures queries={queries} />
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}
