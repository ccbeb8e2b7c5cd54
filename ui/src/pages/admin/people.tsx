import { Button, Card } from "@mantine/core";
import { IconFileImport, IconUserPlus, IconUsers } from "@tabler/icons-react";
import { useState } from "react";
import { FilterChoice, FilterOrganization, Filters, NoRows } from "../../admin/filters";
import { CreatePerson } from "../../admin/people/create";
import { PersonDrawer } from "../../admin/people/drawer";
import { EnableBar } from "../../admin/people/enablebar";
import { orders, PeopleList } from "../../admin/people/list";
import { useSelection } from "../../admin/selection";
import type { Schema } from "../../api/client";
import { asId, oneOf, useAddress } from "../../parts/address";
import type { Count } from "../../parts/count";
import { ButtonLink } from "../../parts/link";
import { Page } from "../../parts/page";
import { useGranted } from "../../parts/wish";
import { useMay } from "../../session/hooks";
import { useText } from "../../text";

const roles = ["user", "org_manager", "global_admin"] as const;
const states = ["active", "locked", "disabled", "recovery"] as const;

const idOf = (user: Schema<"ListedUser">) => user.id;

/** People is the page of accounts: who may sign in, as what, and where they belong. */
export function People() {
  const t = useText();
  const words = t.people;
  const address = useAddress();
  const manyOrganizations = useMay()("create-organization");
  const [adding, setAdding] = useState(false);
  useGranted("addPerson", () => setAdding(true));
  const [matching, setMatching] = useState<Count>();

  const q = address.get("q");
  const role = oneOf(address.get("role"), roles);
  const state = oneOf(address.get("state"), states);
  const organizationId = manyOrganizations ? asId(address.get("organization")) : undefined;
  const person = asId(address.get("person"));
  const filter = { q, role, state, organizationId };
  const sort = oneOf(address.get("sort"), orders) ?? "-created";
  const selection = useSelection(JSON.stringify(filter), idOf);
  const disabled = state === "disabled" || state === "recovery";
  const filtered = Boolean(q || role || state || organizationId);
  const clear = () => address.set({ q: undefined, role: undefined, state: undefined, organization: undefined });
  const add = (
    <>
      <ButtonLink to="/admin/people/import" variant="default" leftSection={<IconFileImport size={16} aria-hidden />}>
        {t.stock.import}
      </ButtonLink>
      <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
        {words.add}
      </Button>
    </>
  );

  return (
    <Page title={words.title} actions={add}>
      <Card style={{ overflow: "visible" }}>
        <Filters
          label={words.search}
          q={q}
          onSearch={(value) => address.set({ q: value }, true)}
          filtered={filtered}
          onClear={clear}
        >
          <FilterChoice
            label={words.filter.role}
            width={190}
            value={role}
            onChange={(value) => address.set({ role: value })}
            data={roles
              .filter((r) => manyOrganizations || r !== "global_admin")
              .map((r) => ({ value: r, label: t.common.roles[r] }))}
          />
          <FilterChoice
            label={words.filter.state}
            width={230}
            value={state}
            onChange={(value) => address.set({ state: value })}
            data={states.map((s) => ({ value: s, label: words.states[s] }))}
          />
          <FilterOrganization
            label={words.filter.organization}
            value={organizationId}
            onChange={(organization) => address.set({ organization })}
          />
        </Filters>
        <PeopleList
          filter={filter}
          sort={sort}
          onSort={(to) => address.set({ sort: to === "-created" ? undefined : to })}
          selection={disabled ? selection : undefined}
          onCount={setMatching}
          empty={<NoRows filtered={filtered} icon={IconUsers} words={words.empty} />}
        />
        <EnableBar filter={filter} selection={selection} matching={matching} />
      </Card>
      <CreatePerson opened={adding} organizationId={organizationId} onClose={() => setAdding(false)} />
      <PersonDrawer id={person} onClose={() => address.open({ person: undefined })} />
    </Page>
  );
}
