import { Group, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { api, ask } from "../api/client";
import { oneOf } from "../parts/address";
import { Lifetime } from "../parts/lifetime";
import { TextLink } from "../parts/link";
import { type Column, List } from "../parts/list";
import { CertificateStatus } from "../parts/status";
import { When } from "../parts/when";
import { useText } from "../text";
import { type Order, orders } from "./order";
import type { Certificate } from "./queries";
import { type Filters, toQuery } from "./show";
import { Timeline } from "./timeline";

type Props = { filters: Filters; order: Order; onOrder: (order: Order) => void; empty: ReactNode };

/** CertificateList is the table of certificates under a picture of when they end. */
export function CertificateList({ filters, order, onOrder, empty }: Props) {
  const t = useText();
  const words = t.certificates.columns;
  const [shown, setShown] = useState<Certificate[]>();
  const columns: Column<Certificate>[] = [
    { id: "name", header: words.name, sort: "common_name", cell: (c) => <Name certificate={c} /> },
    { id: "slot", header: words.slot, from: "md", width: 140, cell: (c) => t.certificates.slots[c.slot] },
    { id: "status", header: words.status, from: "sm", width: 136, cell: (c) => <CertificateStatus certificate={c} /> },
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
      width: 190,
      cell: (c) => <Lifetime notBefore={c.not_before} notAfter={c.not_after} status={c.status} />,
    },
    {
      id: "ends",
      header: words.ends,
      sort: "not_after",
      from: "lg",
      width: 130,
      right: true,
      cell: (c) => (
        <span className="numbers">
          <When at={c.not_after} as="day" />
        </span>
      ),
    },
  ];
  return (
    <>
      {shown?.length === 0 ? null : <Timeline certificates={shown ?? []} />}
      <List
        main
        label={t.certificates.list}
        queryKey={["certificates", "list", filters, order]}
        fetch={(cursor, limit) =>
          ask(
            api.GET("/api/certificates", {
              params: { query: { ...toQuery(filters), sort: order, limit, cursor } },
            }),
          )
        }
        columns={columns}
        rowKey={(c) => c.serial_number}
        sort={{ order, natural: "-issued", onChange: (to) => onOrder(oneOf(to, orders) ?? "-issued") }}
        onRows={setShown}
        empty={empty}
      />
    </>
  );
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
          {c.common_name}
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
