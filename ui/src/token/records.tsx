import { Anchor, Box, Group, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { api, ask, type Schema } from "../api/client";
import { fields } from "../certificates/fields";
import { Lifetime } from "../parts/lifetime";
import { type Column, List } from "../parts/list";
import { Panel } from "../parts/page";
import { CertificateStatus } from "../parts/status";
import { useText } from "../text";

type Certificate = Schema<"Certificate">;

/** Records lists every certificate that the token ever got. */
export function Records({ serial }: { serial: string }) {
  const words = useText().tokens;
  const columns: Column<Certificate>[] = [
    {
      id: "slot",
      header: words.page.columns.slot,
      cell: (c) => (
        <span className="mono" title={words.slots[c.slot]}>
          {c.slot}
        </span>
      ),
    },
    {
      id: "name",
      header: words.page.columns.name,
      cell: (c) => (
        <>
          <Anchor component={Link} to={`/certificates/${c.serial_number}`} size="sm">
            {c.common_name}
          </Anchor>
          <Group hiddenFrom="sm" mt={4}>
            <CertificateStatus certificate={c} />
          </Group>
          <Box hiddenFrom="md" mt={4}>
            <Lifetime notBefore={c.not_before} notAfter={c.not_after} status={c.status} />
          </Box>
        </>
      ),
    },
    {
      id: "status",
      header: words.page.columns.status,
      cell: (c) => <CertificateStatus certificate={c} />,
      from: "sm",
    },
    {
      id: "life",
      header: words.page.columns.life,
      cell: (c) => <Lifetime notBefore={c.not_before} notAfter={c.not_after} status={c.status} />,
      from: "md",
    },
  ];
  return (
    <Panel title={words.page.certificates}>
      <List
        csv={{ of: "certificates", owner: serial, filtered: false, fields }}
        label={words.page.certificates}
        queryKey={["hwkey", serial, "records"]}
        fetch={(cursor, limit) =>
          ask(
            api.GET("/api/hwkey/{serial}/certificates", {
              params: { path: { serial }, query: { limit, cursor } },
            }),
          )
        }
        columns={columns}
        rowKey={(c) => c.serial_number}
        limit={10}
        empty={
          <Text size="sm" c="dimmed">
            {words.page.noCertificates}
          </Text>
        }
      />
    </Panel>
  );
}
