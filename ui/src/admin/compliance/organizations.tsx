import { Anchor, Group, Table, Text } from "@mantine/core";
import { useState } from "react";
import { type Listed, NumberLink } from "../../parts/listlink";
import { Panel } from "../../parts/page";
import { Steps } from "../../parts/pager";
import { useLanguage, useText } from "../../text";
import { OrganizationName } from "./lists";
import type { Part, Report } from "./merge";
import * as places from "./places";

const size = 25;

type Counted = { name: string; of: (p: Part) => number; roomy?: boolean; list?: (organization: number) => Listed };
type Props = { parts: Part[]; parameters: Report["parameters"]; at: string; onChoose: (id: number) => void };

/** OrganizationTable compares the organizations of a report; a name leads to the report on it alone. */
export function OrganizationTable({ parts, parameters, at, onChoose }: Props) {
  const t = useText();
  const number = new Intl.NumberFormat(useLanguage());
  const [chosen, setPage] = useState(0);
  const pages = Math.ceil(parts.length / size);
  const page = Math.min(chosen, pages - 1);
  const words = t.compliance;
  const columns: Counted[] = [
    { name: words.tiles.tokens, of: (p) => p.tokens_total, list: (id) => places.status(undefined, id) },
    {
      name: words.tiles.old,
      of: (p) => p.secrets_older_than_limit.count,
      roomy: true,
      list: (id) => places.oldSecrets(parameters.secrets_older_than_days, id),
    },
    { name: words.tiles.expired, of: (p) => p.certificates_expired.count, roomy: true, list: places.lapsed },
    {
      name: words.tiles.expiring,
      of: (p) => p.certificates_expiring.count,
      roomy: true,
      list: (id) => places.ending(parameters.expiring_within_days, id),
    },
    { name: words.tiles.tokenless, of: (p) => p.users_without_token.count, roomy: true, list: places.tokenless },
    {
      name: words.tiles.releases,
      of: (p) => p.releases.total,
      roomy: true,
      list: (id) => places.releases(parameters, at, id),
    },
  ];
  return (
    <Panel title={words.organizations.title}>
      <Table.ScrollContainer minWidth={260} type="native">
        <Table aria-label={words.organizations.title} className="numbers">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{words.organizations.name}</Table.Th>
              {columns.map((c) => (
                <Table.Th key={c.name} ta="right" className={c.roomy ? "roomy" : undefined}>
                  {c.name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {parts.slice(page * size, (page + 1) * size).map((p) => (
              <Table.Tr key={p.organization_id ?? 0}>
                <Table.Td>
                  <Name part={p} onChoose={onChoose} />
                  <Text size="xs" c="dimmed" className="cramped">
                    {columns
                      .filter((c) => c.roomy && c.of(p) > 0)
                      .map((c) => `${c.name}: ${number.format(c.of(p))}`)
                      .join(" · ")}
                  </Text>
                </Table.Td>
                {columns.map((c) => (
                  <Table.Td key={c.name} ta="right" className={c.roomy ? "roomy" : undefined}>
                    <NumberLink
                      list={p.organization_id && c.of(p) > 0 ? c.list?.(p.organization_id) : undefined}
                      said={`${p.organization_name}, ${c.name}: ${number.format(c.of(p))}`}
                    >
                      {number.format(c.of(p))}
                    </NumberLink>
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {pages > 1 ? (
        <Group justify="space-between" mt="sm">
          <Text size="sm" c="dimmed" className="numbers">
            {t.common.paging.page(page + 1)}
          </Text>
          <Steps
            previous={page > 0 ? () => setPage(page - 1) : null}
            next={page < pages - 1 ? () => setPage(page + 1) : null}
          />
        </Group>
      ) : null}
    </Panel>
  );
}

function Name({ part, onChoose }: { part: Part; onChoose: (id: number) => void }) {
  const t = useText();
  const id = part.organization_id;
  if (id === null) return <OrganizationName name="" />;
  return (
    <Anchor
      component="button"
      type="button"
      ta="left"
      inherit
      fw={600}
      aria-label={t.compliance.organizations.only(part.organization_name)}
      onClick={() => onChoose(id)}
    >
      {part.organization_name}
    </Anchor>
  );
}
