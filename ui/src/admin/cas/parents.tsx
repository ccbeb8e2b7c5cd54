import { Group, Stack, Table, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";
import { Panel } from "../../parts/page";
import { Status } from "../../parts/status";
import { Warning } from "../../parts/warning";
import { When } from "../../parts/when";
import { useText } from "../../text";
import { Address } from "./card";
import type { CA, ParentCRL } from "./queries";
import { nameOf } from "./step";

/** ParentLists shows the revocation lists of the CAs above ours, and asks for them where there are such CAs. */
export function ParentLists({ cas, lists }: { cas: readonly CA[]; lists: readonly ParentCRL[] }) {
  const words = useText().cas.parents;
  if (lists.length === 0) {
    if (!cas.some((ca) => ca.parent !== null && ca.state !== "ended")) return null;
    return (
      <Panel title={words.title}>
        <Warning>{words.none}</Warning>
      </Panel>
    );
  }
  return (
    <Panel title={words.title}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed" component="div">
          {words.text}
        </Text>
        <Group gap="xs">
          <Text size="sm">{words.address}</Text>
          <Address path="/api/pki/parent-crl" label={words.address} />
        </Group>
        <Table aria-label={words.title} horizontalSpacing={8}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{words.issuer}</Table.Th>
              <Table.Th visibleFrom="sm">{words.next}</Table.Th>
              <Table.Th>{words.status}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lists.map((list) => (
              <Row key={`${list.file} ${list.issuer}`} list={list} />
            ))}
          </Table.Tbody>
        </Table>
      </Stack>
    </Panel>
  );
}

function Row({ list: { file, issuer, next_update, problem } }: { list: ParentCRL }) {
  const words = useText().cas.parents;
  return (
    <Table.Tr>
      <Table.Td style={{ overflowWrap: "anywhere" }}>
        {issuer ? (
          <Text size="sm" fw={600}>
            {nameOf(issuer)}
          </Text>
        ) : null}
        <Text size="xs" c="dimmed">
          {words.file} <span className="mono">{file}</span>
        </Text>
        {problem ? <Text size="sm">{words.hints[problem]}</Text> : null}
        <Text size="xs" c="dimmed" hiddenFrom="sm" component="div">
          {words.next} <When at={next_update} />
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <When at={next_update} />
      </Table.Td>
      <Table.Td>
        {problem ? (
          <Status color={problem === "ended" ? "orange" : "red"} icon={IconAlertTriangle}>
            {words.problems[problem]}
          </Status>
        ) : (
          <Status color="accent" icon={IconCircleCheck}>
            {words.published}
          </Status>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
