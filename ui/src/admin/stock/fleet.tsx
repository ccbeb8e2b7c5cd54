import { Group, Stack, Text, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, ask } from "../../api/client";
import { fills } from "../../parts/fills";
import { useLanguage, useText } from "../../text";
import styles from "./fleet.module.css";
import { statuses, type TokenStatus } from "./statuses";

type Counts = Record<TokenStatus, number>;
type Props = {
  organizationId: number | undefined;
  value: TokenStatus | undefined;
  /** The list is narrowed by more than what is counted here. */
  narrowed: boolean;
  onChange: (status: TokenStatus | undefined) => void;
};

/** fleetQuery asks how many tokens stand where in their life, and which firmware there is. */
export function fleetQuery(organizationId: number | undefined) {
  return {
    queryKey: ["compliance", "statuses", organizationId ?? null],
    queryFn: async () => {
      const query = organizationId ? { organization_id: organizationId } : {};
      const answer = await ask(api.GET("/api/reports/compliance", { params: { query } }));
      const organizations = typeof answer === "string" ? [] : answer.organizations;
      const versions = organizations.flatMap((o) => o.tokens_by_firmware.map((f) => f.firmware_version));
      return { statuses: total(organizations), firmware: [...new Set(versions)].sort().reverse() };
    },
    staleTime: 60_000,
  };
}

/** Fleet filters the list by a status, and shows how many tokens stand so, where these are the list's. */
export function Fleet({ organizationId, value, narrowed, onChange }: Props) {
  const t = useText();
  const words = t.stock.fleet;
  const format = new Intl.NumberFormat(useLanguage());
  const report = useQuery(fleetQuery(organizationId));
  const counts = report.data?.statuses;
  const all = counts ? statuses.reduce((sum, s) => sum + counts[s], 0) : 0;
  const count = (n: number | undefined) =>
    narrowed ? null : (
      <span className={`${styles.count} numbers`}>
        {n === undefined ? (report.isError ? "" : "–") : format.format(n)}
      </span>
    );
  return (
    <Stack gap="xs" mb="md">
      <div className={styles.bar} style={narrowed ? { visibility: "hidden" } : undefined} aria-hidden>
        {counts
          ? statuses
              .filter((s) => counts[s] > 0)
              .map((s) => <span key={s} style={{ flex: counts[s], background: fills[s] }} />)
          : null}
      </div>
      <Group gap={4} role="group" aria-label={words.label}>
        <UnstyledButton className={styles.choice} aria-pressed={!value} onClick={() => onChange(undefined)}>
          {words.all}
          {count(counts ? all : undefined)}
        </UnstyledButton>
        {statuses.map((s) => (
          <UnstyledButton
            key={s}
            className={styles.choice}
            aria-pressed={value === s}
            onClick={() => onChange(value === s ? undefined : s)}
          >
            <span className={styles.dot} style={{ background: fills[s] }} aria-hidden />
            {t.common.status[s]}
            {count(counts?.[s])}
          </UnstyledButton>
        ))}
      </Group>
      {report.isError ? (
        <Text size="xs" c="dimmed">
          {words.missing}
        </Text>
      ) : null}
    </Stack>
  );
}

function total(organizations: readonly { tokens_by_status: Counts }[]): Counts {
  const sum: Counts = { in_stock: 0, assigned: 0, active: 0, suspended: 0, lost: 0, retired: 0 };
  for (const organization of organizations) {
    for (const status of statuses) sum[status] += organization.tokens_by_status[status];
  }
  return sum;
}
