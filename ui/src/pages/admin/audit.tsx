import { ActionIcon, Tooltip } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { EntryList, orders } from "../../admin/audit/entries";
import { ExportMenu } from "../../admin/audit/export";
import { FilterBar } from "../../admin/audit/filterbar";
import { type Filters, readFilters } from "../../admin/audit/filters";
import { SealCard } from "../../admin/audit/seal";
import { useVerification, Verifying } from "../../admin/audit/verify";
import { oneOf, useAddress } from "../../parts/address";
import { Page, Panel } from "../../parts/page";
import { useMay, useMe } from "../../session/hooks";
import { useText } from "../../text";

type Search = Filters & { sort?: unknown };

/** Audit is the log of who did what to what, for the organization or for everybody. */
export function Audit() {
  const t = useText();
  const me = useMe();
  const may = useMay();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const filters = readFilters(useSearch({ strict: false }));
  // Two fields may change before the page is drawn again: each adds to what the address holds then.
  const change = (some: Partial<Filters>) =>
    void navigate({
      to: "/admin/audit",
      search: ((old: Search) => ({ ...readFilters(old), ...some, sort: old.sort })) as never,
    });
  const address = useAddress();
  const verification = useVerification();
  const sort = oneOf(address.get("sort"), orders) ?? "-at";
  const clear = () => void navigate({ to: "/admin/audit" });
  return (
    <Page
      title={t.audit.title}
      actions={
        <>
          {may("export-audit") ? <ExportMenu filters={filters} /> : null}
          <Tooltip label={t.common.actions.refresh}>
            <ActionIcon
              variant="default"
              size="lg"
              aria-label={t.common.actions.refresh}
              onClick={() => void queries.invalidateQueries({ queryKey: ["audit"] })}
            >
              <IconRefresh size={18} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </>
      }
    >
      {me.role === "user" ? <div>{t.audit.own}</div> : null}
      {may("audit-seal") ? <SealCard verification={verification} /> : null}
      <Panel>
        <FilterBar filters={filters} onChange={change} onClear={clear} />
        <Verifying value={verification}>
          <EntryList
            filters={filters}
            sort={sort}
            onSort={(order) => address.set({ sort: order === "-at" ? undefined : order })}
            onOnly={change}
            onClear={clear}
          />
        </Verifying>
      </Panel>
    </Page>
  );
}
