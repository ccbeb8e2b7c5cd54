import { Button, Card } from "@mantine/core";
import { IconFileImport, IconPackage, IconPlus } from "@tabler/icons-react";
import { useCallback, useState } from "react";
import { NoRows } from "../../admin/filters";
import { useSelection } from "../../admin/selection";
import { BulkBar } from "../../admin/stock/bulkbar";
import { fields, serialOf, useColumns } from "../../admin/stock/columns";
import { FilterBar } from "../../admin/stock/filterbar";
import { narrowed, readFilters, toQuery } from "../../admin/stock/filters";
import { Fleet } from "../../admin/stock/fleet";
import { RegisterToken } from "../../admin/stock/register";
import { api, ask, type Schema } from "../../api/client";
import { oneOf, useAddress } from "../../parts/address";
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

  const filters = readFilters((name) =>
    name === "organization" && !manyOrganizations ? undefined : address.get(name),
  );
  const filtered = Object.keys(filters).length > 0;
  const sort = oneOf(address.get("sort"), orders) ?? "-registered";
  const selection = useSelection(JSON.stringify(filters), serialOf);
  const columns = useColumns(page, selection);
  const fetch = (cursor: string | undefined, limit: number) => {
    const query = { ...toQuery(filters), limit, cursor, sort };
    return ask(api.GET("/api/hwkey", { params: { query } }));
  };

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
        <Fleet
          organizationId={filters.organization}
          value={filters.status}
          narrowed={narrowed(filters)}
          onChange={(status) => address.set({ status })}
        />
        <FilterBar filters={filters} />
        <List
          main
          name="tokens"
          csv={{ of: "tokens", filtered, fields }}
          label={words.list}
          queryKey={["hwkeys", "stock", filters, sort]}
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
        organizationId={filters.organization}
        onClose={() => {
          setRegistering(false);
          address.open({ register: undefined });
        }}
      />
    </Page>
  );
}
