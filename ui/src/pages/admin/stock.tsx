import { Button, Card } from "@mantine/core";
import { IconFileImport, IconPackage, IconPlus } from "@tabler/icons-react";
import { useCallback, useState } from "react";
import { FilterOrganization, Filters, NoRows } from "../../admin/filters";
import { PersonSelect } from "../../admin/pick";
import { useSelection } from "../../admin/selection";
import { BulkBar } from "../../admin/stock/bulkbar";
import { fields, serialOf, useColumns } from "../../admin/stock/columns";
import { Fleet, statuses } from "../../admin/stock/fleet";
import { RegisterToken } from "../../admin/stock/register";
import { api, ask, type Schema } from "../../api/client";
import { asId, oneOf, useAddress } from "../../parts/address";
import type { Count } from "../../parts/count";
import { everything } from "../../parts/everything";
import { ButtonLink } from "../../parts/link";
import { List } from "../../parts/list";
import { Page } from "../../parts/page";
import { useGranted } from "../../parts/wish";
import { useMay } from "../../session/hooks";
import { useText } from "../../text";

/** The orders of the list, as the server names them. */
const orders = ["-registered", "registered", "serial", "-serial", "label", "-label", "status", "-status"] as const;

/** Stock is the page of all tokens of the organization: whose they are, and how they stand. */
export function Stock() {
  const t = useText();
  const words = t.stock;
  const address = useAddress();
  const manyOrganizations = useMay()("create-organization");
  const [registering, setRegistering] = useState(false);
  useGranted("register", () => setRegistering(true));
  const [page, setPage] = useState<Schema<"HWKey">[]>([]);
  const [count, setCount] = useState<Count>();
  const onRows = useCallback((rows: Schema<"HWKey">[], count: Count) => {
    setPage(rows);
    setCount(count);
  }, []);

  const q = address.get("q");
  const status = oneOf(address.get("status"), statuses);
  const ownerId = asId(address.get("owner"));
  const organizationId = manyOrganizations ? asId(address.get("organization")) : undefined;
  const filter = { q, status, ownerId, organizationId };
  const sort = oneOf(address.get("sort"), orders) ?? "-registered";
  const selection = useSelection(JSON.stringify(filter), serialOf);
  const columns = useColumns(page, selection);
  const fetch = (cursor: string | undefined, limit: number) => {
    const query = { limit, cursor, q, status, owner_id: ownerId, organization_id: organizationId, sort };
    return ask(api.GET("/api/hwkey", { params: { query } }));
  };
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
        <Filters
          label={words.search}
          q={q}
          onSearch={(value) => address.set({ q: value }, true)}
          filtered={filtered}
          onClear={() => address.set({ q: undefined, status: undefined, owner: undefined, organization: undefined })}
        >
          <PersonSelect
            compact
            label={words.filter.owner}
            placeholder={words.filter.owner}
            organizationId={organizationId}
            value={ownerId}
            onChange={(id) => address.set({ owner: id?.toString() })}
          />
          <FilterOrganization
            label={words.filter.organization}
            value={organizationId}
            onChange={(organization) => address.set({ organization })}
          />
        </Filters>
        <List
          main
          name="tokens"
          csv={{ of: "tokens", filtered, fields }}
          label={words.list}
          queryKey={["hwkeys", "stock", filter, sort]}
          fetch={fetch}
          columns={columns}
          rowKey={(token) => token.serial}
          path={(token) => `/tokens/${token.serial}`}
          sort={{
            order: sort,
            natural: "-registered",
            onChange: (to) => address.set({ sort: to === "-registered" ? undefined : to }),
          }}
          onRows={onRows}
          empty={<NoRows filtered={filtered} icon={IconPackage} words={words.empty} />}
        />
        <BulkBar selection={selection} matching={count} all={() => everything(fetch)} />
      </Card>
      <RegisterToken
        opened={registering || address.get("register") === "true"}
        organizationId={organizationId}
        onClose={() => {
          setRegistering(false);
          address.open({ register: undefined });
        }}
      />
    </Page>
  );
}
