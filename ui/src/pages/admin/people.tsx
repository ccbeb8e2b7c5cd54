import { Button, Card } from "@mantine/core";
import { IconFileImport, IconUserPlus, IconUsers } from "@tabler/icons-react";
import { useState } from "react";
import { NoRows } from "../../admin/filters";
import { CreatePerson } from "../../admin/people/create";
import { EnableBar } from "../../admin/people/enablebar";
import { FilterBar } from "../../admin/people/filterbar";
import { readFilters } from "../../admin/people/filters";
import { orders, PeopleList } from "../../admin/people/list";
import { useSelection } from "../../admin/selection";
import type { Schema } from "../../api/client";
import { oneOf, useAddress } from "../../parts/address";
import type { Count } from "../../parts/count";
import { ButtonLink } from "../../parts/link";
import { Page } from "../../parts/page";
import { useGranted } from "../../parts/wish";
import { useMay } from "../../session/hooks";
import { useText } from "../../text";

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

  const filter = readFilters((name) => (name === "organization" && !manyOrganizations ? undefined : address.get(name)));
  const sort = oneOf(address.get("sort"), orders) ?? "-created";
  const selection = useSelection(JSON.stringify(filter), idOf);
  const disabled = filter.state === "disabled" || filter.state === "recovery";
  const filtered = Object.keys(filter).length > 0;
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
        <FilterBar filters={filter} />
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
      <CreatePerson opened={adding} organizationId={filter.organization} onClose={() => setAdding(false)} />
    </Page>
  );
}
