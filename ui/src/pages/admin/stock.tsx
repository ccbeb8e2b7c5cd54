import { Button, Card, Group } from "@mantine/core";
import { IconFileImport, IconPackage, IconPlus, IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { asId, oneOf, useAddress } from "../../admin/address";
import { OrganizationSelect, PersonSelect } from "../../admin/pick";
import { SearchBox } from "../../admin/search";
import { BulkBar } from "../../admin/stock/bulkbar";
import { useColumns } from "../../admin/stock/columns";
import { Fleet, statuses } from "../../admin/stock/fleet";
import { RegisterToken } from "../../admin/stock/register";
import { useSelection } from "../../admin/stock/selection";
import { api, ask, type Schema } from "../../api/client";
import { ButtonLink } from "../../parts/link";
import { List } from "../../parts/list";
import { Empty, Page } from "../../parts/page";
import { useMay } from "../../session/hooks";
import { useText } from "../../text";

/** Stock is the page of all tokens of the organization: whose they are, and how they stand. */
export function Stock() {
  const t = useText();
  const words = t.stock;
  const address = useAddress();
  const manyOrganizations = useMay()("create-organization");
  const [registering, setRegistering] = useState(false);
  const [page, setPage] = useState<Schema<"HWKey">[]>([]);

  const q = address.get("q");
  const status = oneOf(address.get("status"), statuses);
  const ownerId = asId(address.get("owner"));
  const organizationId = manyOrganizations ? asId(address.get("organization")) : undefined;
  const filter = { q, status, ownerId, organizationId };
  const selection = useSelection(JSON.stringify(filter));
  const columns = useColumns(page, selection);
  const filtered = Boolean(q || status || ownerId || organizationId);

  return (
    <Page
      title={words.title}
      actions={
        <>
          <ButtonLink
            to="/admin/tokens/import"
            variant="default"
            leftSection={<IconFileImport size={16} aria-hidden />}
          >
            {words.import}
          </ButtonLink>
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setRegistering(true)}>
            {words.register.button}
          </Button>
        </>
      }
    >
      <Card style={{ overflow: "visible" }}>
        <Fleet organizationId={organizationId} value={status} onChange={(value) => address.set({ status: value })} />
        <Group gap="xs" mb="sm" role="search">
          <SearchBox label={words.search} value={q} onChange={(value) => address.set({ q: value }, true)} />
          <PersonSelect
            compact
            label={words.filter.owner}
            placeholder={words.filter.owner}
            organizationId={organizationId}
            value={ownerId}
            onChange={(id) => address.set({ owner: id?.toString() })}
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
            <Button
              variant="subtle"
              onClick={() =>
                address.set({ q: undefined, status: undefined, owner: undefined, organization: undefined })
              }
            >
              {t.common.actions.clear}
            </Button>
          ) : null}
        </Group>
        <List
          label={words.list}
          queryKey={["hwkeys", "stock", filter]}
          fetch={(cursor, limit) => {
            const query = {
              limit,
              ...(cursor ? { cursor } : {}),
              ...(q ? { q } : {}),
              ...(status ? { status } : {}),
              ...(ownerId ? { owner_id: ownerId } : {}),
              ...(organizationId ? { organization_id: organizationId } : {}),
            };
            return ask(api.GET("/api/hwkey", { params: { query } }));
          }}
          columns={columns}
          rowKey={(token) => token.serial}
          limit={50}
          onRows={setPage}
          empty={
            filtered ? (
              <Empty icon={IconSearch} title={words.empty.noneTitle} text={words.empty.noneText} />
            ) : (
              <Empty icon={IconPackage} title={words.empty.title} text={words.empty.text} />
            )
          }
        />
        <BulkBar selection={selection} />
      </Card>
      <RegisterToken opened={registering} organizationId={organizationId} onClose={() => setRegistering(false)} />
    </Page>
  );
}
