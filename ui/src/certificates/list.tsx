import { Group, Text } from "@mantine/core";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { useSelectColumn, useSelection } from "../admin/selection";
import { api, ask } from "../api/client";
import { oneOf } from "../parts/address";
import type { Count } from "../parts/count";
import { everything } from "../parts/everything";
import { Free } from "../parts/free";
import { Lifetime } from "../parts/lifetime";
import { TextLink } from "../parts/link";
import { type Column, List } from "../parts/list";
import { called, identified } from "../parts/person";
import { CertificateStatus } from "../parts/status";
import { When } from "../parts/when";
import { useMay } from "../session/hooks";
import { type Catalogue, useText } from "../text";
import { fields } from "./fields";
import { ManyBar } from "./manybar";
import { type Order, orders } from "./order";
import type { Certificate } from "./queries";
import { type Filters, toQuery } from "./show";
import { Timeline } from "./timeline";

const keyOf = (c: Certificate) => c.serial_number;
const nameOf = (c: Certificate) => c.common_name;

type Props = { filters: Filters; order: Order; onOrder: (order: Order) => void; empty: ReactNode };

/** CertificateList is the table of certificates under a picture of when they end. */
export function CertificateList({ filters, order, onOrder, empty }: Props) {
  const t = useText();
  const [shown, setShown] = useState<Certificate[]>();
  const [count, setCount] = useState<Count>();
  const onRows = useCallback((rows: Certificate[], of: Count) => {
    setShown(rows);
    setCount(of);
  }, []);
  // Whoever has few of their own revokes them one by one.
  const many = useMay()("list-users");
  const selection = useSelection(JSON.stringify(filters), keyOf);
  const fetch = (cursor: string | undefined, limit: number) =>
    ask(api.GET("/api/certificates", { params: { query: { ...toQuery(filters), sort: order, limit, cursor } } }));
  const select = useSelectColumn(shown ?? [], many ? selection : undefined, t.certificates.select, nameOf);
  const columns = useMemo(() => columnsOf(t), [t]);
  return (
    <>
      {shown?.length === 0 ? null : <Timeline filters={filters} />}
      <List
        main
        name="certificates"
        csv={{ of: "certificates", filtered: Object.keys(filters).length > 0, fields }}
        label={t.certificates.list}
        queryKey={["certificates", "list", filters, order]}
        fetch={fetch}
        columns={[...select, ...columns]}
        rowKey={keyOf}
        path={(c) => `/certificates/${c.serial_number}`}
        sort={{ order, natural: "-issued", onChange: (to) => onOrder(oneOf(to, orders) ?? "-issued") }}
        onRows={onRows}
        empty={empty}
      />
      {many ? <ManyBar selection={selection} matching={count} all={() => everything(fetch)} /> : null}
    </>
  );
}

function columnsOf(t: Catalogue): Column<Certificate>[] {
  const words = t.certificates.columns;
  return [
    { id: "name", header: words.name, sort: "common_name", cell: (c) => <Name certificate={c} /> },
    {
      id: "slot",
      header: words.slot,
      from: "md",
      width: { md: 130, xl: 172 },
      cell: (c) => t.certificates.slots[c.slot],
    },
    { id: "status", header: words.status, from: "sm", width: 152, cell: (c) => <CertificateStatus certificate={c} /> },
    {
      id: "token",
      header: words.token,
      from: "md",
      width: 120,
      cell: (c) => (
        <TextLink to="/tokens/$serial" params={{ serial: c.hwkey_serial }} className="mono">
          {c.hwkey_serial}
        </TextLink>
      ),
    },
    {
      id: "life",
      header: words.life,
      from: "sm",
      width: { sm: 164, xl: "auto" },
      cell: (c) => <Lifetime notBefore={c.not_before} notAfter={c.not_after} status={c.status} />,
    },
    {
      id: "ends",
      header: words.ends,
      sort: "not_after",
      from: "lg",
      width: { lg: 116, xl: 130 },
      right: true,
      cell: (c) => (
        <span className="numbers">
          <When at={c.not_after} as="day" />
        </span>
      ),
    },
    {
      id: "owner",
      header: words.owner,
      from: "lg",
      optional: true,
      width: { lg: 140, xl: "auto" },
      cell: (c) => (c.owner ? <Free title={identified(c.owner)}>{called(c.owner)}</Free> : null),
    },
    {
      id: "issued",
      header: words.issued,
      sort: "issued",
      from: "lg",
      optional: true,
      width: 130,
      cell: (c) => <When at={c.not_before} as="day" />,
    },
  ];
}

function Name({ certificate: c }: { certificate: Certificate }) {
  const t = useText();
  return (
    <>
      <Group gap="xs" justify="space-between" wrap="nowrap">
        <TextLink
          to="/certificates/$serial"
          params={{ serial: c.serial_number }}
          size="sm"
          fw={600}
          style={{ overflowWrap: "anywhere" }}
        >
          <Free>{c.common_name}</Free>
        </TextLink>
        <Text span hiddenFrom="sm">
          <CertificateStatus certificate={c} />
        </Text>
      </Group>
      <Text size="xs" c="dimmed" hiddenFrom="sm">
        {t.certificates.slots[c.slot]}{" "}
        <Text span inherit>
          · <span className="mono">{c.hwkey_serial}</span>
        </Text>
      </Text>
      <Text component="div" size="xs" hiddenFrom="sm" mt={4}>
        <Lifetime notBefore={c.not_before} notAfter={c.not_after} status={c.status} />
      </Text>
    </>
  );
}
