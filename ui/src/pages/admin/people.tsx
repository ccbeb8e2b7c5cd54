import { Button, Card, Group, Select } from "@mantine/core";
import { IconSearch, IconUserPlus, IconUsers } from "@tabler/icons-react";
import { useState } from "react";
import { asId, oneOf, useAddress } from "../../admin/address";
import { CreatePerson } from "../../admin/people/create";
import { PersonDrawer } from "../../admin/people/drawer";
import { PeopleList } from "../../admin/people/list";
import { OrganizationSelect } from "../../admin/pick";
import { SearchBox } from "../../admin/search";
import { Empty, Page } from "../../parts/page";
import { useMay } from "../../session/hooks";
import { useText } from "../../text";

const roles = ["user", "org_manager", "global_admin"] as const;
const states = ["active", "locked", "disabled"] as const;

/** People is the page of accounts: who may sign in, as what, and where they belong. */
export function People() {
  const t = useText();
  const words = t.people;
  const address = useAddress();
  const manyOrganizations = useMay()("create-organization");
  const [adding, setAdding] = useState(false);

  const q = address.get("q");
  const role = oneOf(address.get("role"), roles);
  const state = oneOf(address.get("state"), states);
  const organizationId = manyOrganizations ? asId(address.get("organization")) : undefined;
  const person = asId(address.get("person"));
  const filtered = Boolean(q || role || state || organizationId);
  const clear = () => address.set({ q: undefined, role: undefined, state: undefined, organization: undefined });
  const add = (
    <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {words.add}
    </Button>
  );

  return (
    <Page title={words.title} actions={add}>
      <Card>
        <Group gap="xs" mb="sm" role="search">
          <SearchBox label={words.search} value={q} onChange={(value) => address.set({ q: value }, true)} />
          <Select
            aria-label={words.filter.role}
            placeholder={words.filter.role}
            clearable
            clearButtonProps={{ "aria-label": `${t.common.actions.clear}: ${words.filter.role}` }}
            w={{ base: "100%", xs: 190 }}
            value={role ?? null}
            onChange={(value) => address.set({ role: value ?? undefined })}
            data={roles
              .filter((r) => manyOrganizations || r !== "global_admin")
              .map((r) => ({ value: r, label: t.common.roles[r] }))}
          />
          <Select
            aria-label={words.filter.state}
            placeholder={words.filter.state}
            clearable
            clearButtonProps={{ "aria-label": `${t.common.actions.clear}: ${words.filter.state}` }}
            w={{ base: "100%", xs: 130 }}
            value={state ?? null}
            onChange={(value) => address.set({ state: value ?? undefined })}
            data={states.map((s) => ({ value: s, label: words.states[s] }))}
          />
          {manyOrganizations ? (
            <OrganizationSelect
              compact
              label={words.filter.organization}
              placeholder={words.filter.organization}
              value={organizationId}
              onChange={(id) => address.set({ organization: id?.toString() })}
            />
          ) : null}
          {filtered ? (
            <Button variant="subtle" onClick={clear}>
              {t.common.actions.clear}
            </Button>
          ) : null}
        </Group>
        <PeopleList
          filter={{ q, role, state, organizationId }}
          empty={
            filtered ? (
              <Empty icon={IconSearch} title={words.empty.noneTitle} text={words.empty.noneText} />
            ) : (
              <Empty icon={IconUsers} title={words.empty.title} text={words.empty.text} />
            )
          }
        />
      </Card>
      <CreatePerson opened={adding} organizationId={organizationId} onClose={() => setAdding(false)} />
      <PersonDrawer id={person} onClose={() => address.set({ person: undefined })} />
    </Page>
  );
}
