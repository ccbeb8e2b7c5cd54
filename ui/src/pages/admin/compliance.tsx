import { Stack, Text } from "@mantine/core";
import { IconClipboardCheck } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ReportActions } from "../../admin/compliance/actions";
import { Charts } from "../../admin/compliance/charts";
import { Lists } from "../../admin/compliance/lists";
import { merge, onlyOne, type Report } from "../../admin/compliance/merge";
import { OrganizationTable } from "../../admin/compliance/organizations";
import { ParameterBar } from "../../admin/compliance/parameterbar";
import { type Parameters, readParameters, toQuery } from "../../admin/compliance/parameters";
import { Tiles } from "../../admin/compliance/tiles";
import { usePrintable } from "../../admin/print";
import { api, ask } from "../../api/client";
import { TextLink } from "../../parts/link";
import { Empty, Loaded, Page, Panel } from "../../parts/page";
import { exact, When } from "../../parts/when";
import { useWrong } from "../../parts/wrong";
import { useMay } from "../../session/hooks";
import { useLanguage, useText } from "../../text";

/** Compliance is the report that an auditor asks for, of one organization or of all. */
export function Compliance() {
  const t = useText();
  const navigate = useNavigate();
  const parameters = readParameters(useSearch({ strict: false }));
  usePrintable();
  const change = (some: Partial<Parameters>) =>
    void navigate({
      to: "/admin/compliance",
      search: ((old: Parameters) => ({ ...readParameters(old), ...some })) as never,
    });
  const query = useQuery({
    queryKey: ["compliance", parameters],
    queryFn: () => fetchReport(parameters),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  const { field, shown } = useWrong(query.error);
  return (
    <Page title={t.compliance.title} actions={<ReportActions parameters={parameters} />}>
      <ParameterBar parameters={parameters} onChange={change} wrong={field} />
      <Loaded query={query} height={620} shown={shown}>
        {(report) => (
          <Body report={report} busy={query.isPlaceholderData} onChoose={(organization) => change({ organization })} />
        )}
      </Loaded>
    </Page>
  );
}

async function fetchReport(parameters: Parameters): Promise<Report> {
  const body = await ask(api.GET("/api/reports/compliance", { params: { query: toQuery(parameters) } }));
  // The same address also gives CSV, to who asks for it.
  if (typeof body === "string") throw new TypeError("the report is no JSON");
  return body;
}

type BodyProps = { report: Report; busy: boolean; onChoose: (organization: number) => void };

function Body({ report, busy, onChoose }: BodyProps) {
  const t = useText();
  const whole = merge(report);
  const many = report.organizations.length > 1;
  const people = whole.tokenless.count;
  // A manager's lists are those of their organization anyway.
  const manyOrganizations = useMay()("create-organization");
  const organization = (manyOrganizations && report.parameters.organization_id) || undefined;
  return (
    <Stack gap="md" aria-busy={busy} style={{ opacity: busy ? 0.6 : 1 }}>
      <Heading report={report} />
      <Tiles whole={whole} parameters={report.parameters} at={report.generated_at} organization={organization} />
      {whole.tokens === 0 ? (
        <Panel>
          <Empty
            icon={IconClipboardCheck}
            title={t.compliance.empty.title}
            text={t.compliance.empty.text}
            action={<TextLink to="/admin/tokens">{t.compliance.empty.action}</TextLink>}
          />
        </Panel>
      ) : (
        <Charts whole={whole} organization={organization} />
      )}
      {many ? (
        <OrganizationTable
          parts={report.organizations}
          parameters={report.parameters}
          at={report.generated_at}
          onChoose={onChoose}
        />
      ) : null}
      {whole.tokens > 0 || people > 0 ? (
        <Lists whole={whole} parameters={report.parameters} many={many} organization={organization} />
      ) : null}
    </Stack>
  );
}

/** Heading says what the numbers are of, on paper with everything they were asked for. */
function Heading({ report }: { report: Report }) {
  const t = useText();
  const language = useLanguage();
  const number = new Intl.NumberFormat(language);
  const scope = onlyOne(report)?.organization_name ?? t.compliance.scope.all;
  const p = report.parameters;
  return (
    <div>
      <Text c="dimmed">
        {scope} · {t.compliance.asOf} <When at={report.generated_at} as="exact" />
      </Text>
      <Text c="dimmed" className="only-print">
        {t.compliance.summary(
          number.format(p.secrets_older_than_days),
          number.format(p.expiring_within_days),
          exact(p.from, language),
          exact(p.to, language),
        )}
      </Text>
    </div>
  );
}
