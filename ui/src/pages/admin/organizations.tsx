import { Box, Button, Card, Group, Text, VisuallyHidden } from "@mantine/core";
import { IconBuilding, IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { FilterChoice, Filters, NoRows } from "../../admin/filters";
import { OrganizationForm, type Target } from "../../admin/organizations/form";
import { OrganizationMenu } from "../../admin/organizations/menu";
import { Standing } from "../../admin/organizations/standing";
import { OrganizationSlots } from "../../admin/profiles/organizationslots";
import { api, ask, type Schema } from "../../api/client";
import { oneOf, useAddress } from "../../parts/address";
import type { Field } from "../../parts/csv";
import { Free } from "../../parts/free";
import { TextLink } from "../../parts/link";
import { type Column, List } from "../../parts/list";
import { Page } from "../../parts/page";
import { When } from "../../parts/when";
import { useGranted } from "../../parts/wish";
import { useText } from "../../text";

const states = ["active", "disabled"] as const;
/** The orders of the list, as the server names them. */
const orders = ["-created", "name", "-name"] as const;

/** Organizations is the page of those who share this installation and see nothing of each other. */
export function Organizations() {
  const t = useText();
  const words = t.people.organizations;
  const address = useAddress();
  const [target, setTarget] = useState<Target>(null);
  useGranted("addOrganization", () => setTarget("new"));
  const [slots, setSlots] = useState<Schema<"Organization"> | null>(null);
  const q = address.get("q");
  const state = oneOf(address.get("state"), states);
  const sort = oneOf(address.get("sort"), orders) ?? "-created";
  const filtered = Boolean(q || state);
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setTarget("new")}>
      {words.add}
    </Button>
  );
  return (
    <Page title={words.title} actions={add}>
      <Card>
        <Filters
          label={words.search}
          q={q}
          onSearch={(value) => address.set({ q: value }, true)}
          filtered={filtered}
          onClear={() => address.set({ q: undefined, state: undefined })}
        >
          <FilterChoice
            label={t.people.filter.state}
            width={140}
            value={state}
            onChange={(value) => address.set({ state: value })}
            data={states.map((s) => ({ value: s, label: t.people.states[s] }))}
          />
        </Filters>
        <List
          main
          path={(o) => `/admin/organizations/${o.id}`}
          name="organizations"
          csv={{ of: "organizations", filtered, fields }}
          label={words.list}
          queryKey={["organizations", "list", { q, state }, sort]}
          fetch={(cursor, limit) => {
            const query = { limit, cursor, q, is_active: state && state === "active", sort };
            return ask(api.GET("/api/admin/organizations", { params: { query } }));
          }}
          columns={useColumns(setTarget, setSlots)}
          rowKey={(o) => o.id}
          sort={{
            order: sort,
            natural: "-created",
            onChange: (to) => address.set({ sort: to === "-created" ? undefined : to }),
          }}
          empty={
            <NoRows
              filtered={filtered}
              icon={IconBuilding}
              words={{ ...words.empty, noneTitle: t.people.pick.nothing }}
            />
          }
        />
      </Card>
      <OrganizationForm target={target} onClose={() => setTarget(null)} />
      <OrganizationSlots organization={slots} onClose={() => setSlots(null)} />
    </Page>
  );
}

function useColumns(
  edit: (organization: Schema<"Organization">) => void,
  slots: (organization: Schema<"Organization">) => void,
): Column<Schema<"Organization">>[] {
  const t = useText();
  const words = t.people.organizations;
  return [
    {
      id: "name",
      header: words.columns.name,
      sort: "name",
      cell: (o) => (
        <>
          <TextLink
            to="/admin/organizations/$id"
            params={{ id: String(o.id) }}
            size="sm"
            fw={600}
            style={{ overflowWrap: "anywhere" }}
          >
            <Free>{o.name}</Free>
          </TextLink>
          {o.email_domains.length > 0 ? (
            <Text size="xs" c="dimmed" hiddenFrom="sm">
              {o.email_domains.join(", ")}
            </Text>
          ) : null}
          <Box hiddenFrom="sm" mt={4}>
            <Standing organization={o} />
          </Box>
        </>
      ),
    },
    {
      id: "state",
      header: words.columns.state,
      width: 120,
      from: "sm",
      cell: (o) => <Standing organization={o} />,
    },
    { id: "leads", header: words.columns.leads, from: "sm", width: 150, cell: (o) => <Leads organization={o} /> },
    {
      id: "domains",
      header: words.columns.domains,
      from: "sm",
      width: { sm: 220 },
      cell: (o) =>
        o.email_domains.length > 0 ? (
          o.email_domains.join(", ")
        ) : (
          <Text size="sm" c="dimmed">
            {words.anyDomain}
          </Text>
        ),
    },
    {
      id: "created",
      header: words.columns.created,
      from: "md",
      width: 130,
      cell: (o) => <When at={o.created_at} as="day" />,
    },
    {
      id: "more",
      width: 64,
      header: <VisuallyHidden>{t.common.actions.more}</VisuallyHidden>,
      right: true,
      cell: (o) => <OrganizationMenu organization={o} onEdit={() => edit(o)} onSlots={() => slots(o)} />,
    },
  ];
}

/** What of an organization stands in a file. */
const fields: readonly Field<Schema<"Organization">>[] = [
  ["name", (o) => o.name],
  ["email_domains", (o) => o.email_domains],
  ["upn_suffixes", (o) => o.upn_suffixes],
  ["kerberos_realm", (o) => o.kerberos_realm],
  ["is_active", (o) => o.is_active],
  ["created_at", (o) => o.created_at],
];

/** Leads go to the people and the tokens of an organization. */
function Leads({ organization: o }: { organization: Schema<"Organization"> }) {
  const words = useText().people.organizations;
  return (
    <Group gap="xs" wrap="nowrap">
      <TextLink to="/admin/people" search={{ organization: o.id }} size="sm" aria-label={words.peopleOf(o.name)}>
        {words.people}
      </TextLink>
      <TextLink to="/admin/tokens" search={{ organization: o.id }} size="sm" aria-label={words.tokensOf(o.name)}>
        {words.tokens}
      </TextLink>
    </Group>
  );
}
