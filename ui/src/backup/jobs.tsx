import { Select, Stack, Text } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { oneOf, useAddress } from "../parts/address";
import type { Field } from "../parts/csv";
import { type Column, List } from "../parts/list";
import { Empty, Panel } from "../parts/page";
import { When } from "../parts/when";
import { Facts } from "../system/facts";
import { bytes, spoken } from "../system/measure";
import { useLanguage, useText } from "../text";
import { jobs } from "./calls";
import { took } from "./phases";
import { phaseName, Starter } from "./progress";
import { JobState } from "./state";
import type { Job, Kind } from "./types";
import { Warnings } from "./warnings";
import { useSaid } from "./words";

const kinds: Kind[] = ["backup", "restore", "drill"];

/** What of a job stands in a file. */
const fields: readonly Field<Job>[] = [
  ["job_id", (job) => job.job_id],
  ["kind", (job) => job.kind],
  ["type", (job) => job.type],
  ["status", (job) => job.status],
  ["outcome", (job) => job.outcome],
  ["triggered_by", (job) => job.triggered_by?.username],
  ["scheduled", (job) => job.scheduled],
  ["created_at", (job) => job.created_at],
  ["started_at", (job) => job.started_at],
  ["finished_at", (job) => job.finished_at],
  ["size_bytes", (job) => job.size_bytes],
  ["key", (job) => job.key],
  ["error_message", (job) => job.error_message],
  ["details", (job) => job.details],
];

/** Jobs lists what was done with backups, and how it ended. */
export function Jobs() {
  const t = useText();
  const { jobs: words, kinds: names } = t.backups;
  const address = useAddress();
  const kind = oneOf(address.get("kind"), kinds);
  const columns: Column<Job>[] = [
    { id: "what", header: words.columns.what, cell: (job) => <What job={job} /> },
    { id: "state", header: words.columns.state, from: "xs", width: 200, cell: (job) => <JobState job={job} /> },
    { id: "when", header: words.columns.when, from: "sm", width: 150, cell: (job) => <When at={job.created_at} /> },
    { id: "took", header: words.columns.took, from: "md", width: 130, right: true, cell: (job) => <Took job={job} /> },
    { id: "size", header: words.columns.size, from: "md", width: 110, right: true, cell: (job) => <Size job={job} /> },
  ];
  return (
    <Panel>
      <Stack gap="sm" mb="sm">
        <Text size="sm" c="dimmed">
          {words.kept}
        </Text>
        <Select
          aria-label={words.filter}
          w={240}
          maw="100%"
          allowDeselect={false}
          value={kind ?? "all"}
          onChange={(v) => address.set({ kind: oneOf(v ?? undefined, kinds) })}
          data={[{ value: "all", label: t.common.all }, ...kinds.map((k) => ({ value: k, label: names[k] }))]}
        />
      </Stack>
      <List
        main
        tall
        name="jobs"
        csv={{ of: "jobs", filtered: kind !== undefined, fields }}
        label={words.title}
        queryKey={["backups", "jobs", kind ?? ""]}
        fetch={(cursor, limit) => jobs({ cursor, limit, ...(kind && { kind }) })}
        columns={columns}
        rowKey={(job) => job.job_id}
        detail={{
          name: (job) => words.detail(names[job.kind], job.job_id),
          content: (job) => <Details job={job} />,
        }}
        empty={<Empty icon={IconHistory} title={words.empty} text={words.emptyText} />}
      />
    </Panel>
  );
}

/** What says what a job was; on a narrow screen with what the other columns hold. */
function What({ job }: { job: Job }) {
  const words = useText().backups;
  return (
    <Stack gap={2} align="flex-start">
      <Text size="sm" fw={600}>
        {words.kinds[job.kind]}
        {job.type === "full" ? "" : ` (${words.partly[job.type]})`}
      </Text>
      <Text size="xs" c="dimmed" component="div">
        <Starter job={job} />
      </Text>
      <Text size="xs" c="dimmed" component="div" hiddenFrom="sm">
        <When at={job.created_at} />
      </Text>
      <Text component="div" hiddenFrom="xs">
        <JobState job={job} />
      </Text>
    </Stack>
  );
}

function Took({ job }: { job: Job }) {
  const language = useLanguage();
  const time = took(job);
  return <span className="numbers">{time === null ? "–" : spoken(time, language)}</span>;
}

function Size({ job }: { job: Job }) {
  const language = useLanguage();
  return <span className="numbers">{job.size_bytes > 0 ? bytes(job.size_bytes, language) : "–"}</span>;
}

function Details({ job }: { job: Job }) {
  const t = useText();
  const words = t.backups.jobs;
  const { error, details, warnings } = useSaid(job);
  const items: [string, ReactNode][] = [];
  if (error) items.push([words.message, error]);
  if (job.status === "Failed" && job.phase) items.push([words.stopped, phaseName(t, job.phase)]);
  if (details) items.push([words.result, details]);
  if (warnings.length > 0) items.push([words.warnings, <Warnings key="w" texts={warnings} />]);
  if (job.key) {
    items.push([
      words.file,
      <span className="mono" key="f">
        {job.key}
      </span>,
    ]);
  }
  items.push([words.begun, <When key="b" at={job.started_at ?? job.created_at} as="both" />]);
  if (job.finished_at) items.push([words.ended, <When key="e" at={job.finished_at} as="both" />]);
  items.push([words.columns.took, <Took key="t" job={job} />], [words.columns.size, <Size key="s" job={job} />]);
  return <Facts items={items} />;
}
