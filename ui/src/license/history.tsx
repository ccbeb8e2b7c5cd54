import { Text } from "@mantine/core";
import { IconCircleCheck, IconCircleX, IconTrash } from "@tabler/icons-react";
import type { Schema } from "../api/client";
import type { Field } from "../parts/csv";
import { type Column, List } from "../parts/list";
import { Panel } from "../parts/page";
import { Status } from "../parts/status";
import { day, When } from "../parts/when";
import { useLanguage, useText } from "../text";
import { aboutOf } from "./about";
import { historyKey, history as page } from "./calls";

type Event = Schema<"LicenseEvent">;

/** What of a change stands in a file. */
const fields: readonly Field<Event>[] = [
  ["id", (e) => e.id],
  ["at", (e) => e.at],
  ["operation", (e) => e.operation],
  ["outcome", (e) => e.outcome],
  ["actor", (e) => e.actor],
  ["reason", (e) => e.reason],
  ["message", (e) => e.message],
  ["customer_name", (e) => e.license_summary?.customer_name],
  ["customer_email", (e) => e.license_summary?.customer_email],
  ["license_type", (e) => e.license_summary?.license_type],
  ["issue_date", (e) => e.license_summary?.issue_date],
  ["expiry_date", (e) => e.license_summary?.expiry_date],
];

/** History lists what was done with the license, newest first. */
export function History() {
  const words = useText().license.history;
  const columns: Column<Event>[] = [
    { id: "what", header: words.what, cell: (e) => <What event={e} />, width: 170 },
    { id: "about", header: words.about, from: "sm", cell: (e) => <About event={e} /> },
    { id: "by", header: words.by, from: "sm", cell: (e) => e.actor },
    { id: "at", header: words.at, cell: (e) => <When at={e.at} /> },
  ];
  return (
    <Panel title={words.title}>
      <List
        csv={{ of: "license", filtered: false, fields }}
        label={words.title}
        queryKey={historyKey}
        fetch={page}
        columns={columns}
        rowKey={(e) => e.id}
        expected={2}
        limit={10}
        empty={<Text size="sm">{words.empty}</Text>}
        detail={{
          name: (e) => `${words.about}: ${words.events[e.operation][e.outcome]}`,
          content: (e) => (
            <>
              {words.by} {e.actor}: <About event={e} />
            </>
          ),
        }}
      />
    </Panel>
  );
}

function What({ event }: { event: Event }) {
  const words = useText().license.history;
  const said = words.events[event.operation][event.outcome];
  if (event.outcome === "rejected")
    return (
      <Status color="orange" icon={IconCircleX}>
        {said}
      </Status>
    );
  if (event.operation === "remove")
    return (
      <Status color="gray" icon={IconTrash}>
        {said}
      </Status>
    );
  return (
    <Status color="accent" icon={IconCircleCheck}>
      {said}
    </Status>
  );
}

/** About says which license it was, or why it was refused. */
function About({ event }: { event: Event }) {
  const words = useText().license.history;
  const language = useLanguage();
  return (
    <Text span size="sm" style={{ overflowWrap: "anywhere" }}>
      {aboutOf(event, words, (at) => day(at, language))}
    </Text>
  );
}
