import { Group, Skeleton, Stack, Text } from "@mantine/core";
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconHeartbeat,
  IconListCheck,
  IconShieldCheck,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ComponentType, ReactNode } from "react";
import { freshness } from "../admin/audit/freshness";
import { TextLink } from "../parts/link";
import { Panel } from "../parts/page";
import { explain } from "../parts/problem";
import { Status } from "../parts/status";
import { When } from "../parts/when";
import { useMay } from "../session/hooks";
import { missing } from "../system/needed";
import { useText } from "../text";
import { crlQuery, healthQuery, sealQuery } from "./queries";

/** HealthPanel shows whether what nobody looks at every day is well. */
export function HealthPanel() {
  const t = useText();
  const may = useMay();
  return (
    <Panel title={t.overview.glance.title}>
      <Stack gap="sm">
        <Crl />
        {may("audit-seal") ? <Seal /> : null}
        {may("system-health") ? <Health /> : null}
      </Stack>
    </Panel>
  );
}

type LineProps = {
  icon: ComponentType<{ size?: number; stroke?: number }>;
  name: ReactNode;
  status: ReactNode;
  text?: ReactNode;
};

function Line({ icon: Sign, name, status, text }: LineProps) {
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start" mih={44}>
      <Sign size={20} stroke={1.6} aria-hidden />
      <div style={{ flex: 1, minWidth: 0 }}>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          {text}
        </Text>
      </div>
      {status}
    </Group>
  );
}

/** Well and its fellows are what a part may be. A part that gave no answer is told from a bad one. */
function Well({ children }: { children: string }) {
  return (
    <Status color="accent" icon={IconCircleCheck}>
      {children}
    </Status>
  );
}

function Worry({ children, color = "orange" }: { children: string; color?: string }) {
  return (
    <Status color={color} icon={IconAlertTriangle}>
      {children}
    </Status>
  );
}

const waiting = <Skeleton height={20} width={80} />;

function Unknown() {
  const t = useText();
  return (
    <Status color="gray" icon={IconCircleDashed}>
      {t.common.unknown}
    </Status>
  );
}

/** Why says what kept a part from being looked at. */
function Why({ error }: { error: unknown }) {
  const t = useText();
  const { detail, requestId } = explain(error);
  return (
    <>
      {detail}
      {requestId ? (
        <div>
          {t.common.problem.requestId} <span className="mono">{requestId}</span>
        </div>
      ) : null}
    </>
  );
}

function Crl() {
  const t = useText();
  const words = t.overview.glance;
  const { data: crl, error } = useQuery(crlQuery);
  const status = error ? (
    <Unknown />
  ) : crl?.is_stale ? (
    <Worry>{words.crlStale}</Worry>
  ) : crl?.cached ? (
    <Well>{words.crlFresh}</Well>
  ) : crl ? (
    <Status color="gray" icon={IconCircleDashed}>
      {words.crlNone}
    </Status>
  ) : (
    waiting
  );
  return (
    <Line
      icon={IconListCheck}
      name={words.crl}
      status={status}
      text={
        error ? (
          <Why error={error} />
        ) : crl?.fetched_at ? (
          <>
            {words.crlFetched} <When at={crl.fetched_at} />
          </>
        ) : crl ? (
          words.crlNoneText
        ) : null
      }
    />
  );
}

function Seal() {
  const t = useText();
  const words = t.overview.glance;
  const { data: seal, error } = useQuery(sealQuery);
  const state = seal ? freshness(seal) : undefined;
  const status = error ? (
    <Unknown />
  ) : state === "good" ? (
    <Well>{t.audit.seal.good}</Well>
  ) : state === "first" ? (
    <Unknown />
  ) : state ? (
    <Worry color="red">{t.audit.seal[state]}</Worry>
  ) : (
    waiting
  );
  return (
    <Line
      icon={IconShieldCheck}
      name={<TextLink to="/admin/audit">{words.seal}</TextLink>}
      status={status}
      text={
        error ? (
          <Why error={error} />
        ) : seal?.sealed_at ? (
          <>
            {words.sealed} <When at={seal.sealed_at} />
          </>
        ) : null
      }
    />
  );
}

function Health() {
  const t = useText();
  const words = t.overview.glance;
  const { data: health, error } = useQuery(healthQuery);
  const bad = health?.components.filter((c) => c.status !== "ok" && c.status !== "not_configured").length ?? 0;
  const lacks = health?.status === "ok" ? missing(health) : [];
  const status = error ? (
    <Unknown />
  ) : lacks.length > 0 ? (
    <Worry>{words.lacking}</Worry>
  ) : health?.status === "ok" ? (
    <Well>{words.healthy.ok}</Well>
  ) : health ? (
    <Worry color={health.status === "unavailable" ? "red" : "orange"}>{words.healthy[health.status]}</Worry>
  ) : (
    waiting
  );
  return (
    <Line
      icon={IconHeartbeat}
      name={<TextLink to="/system/health">{words.health}</TextLink>}
      status={status}
      text={
        error ? (
          <Why error={error} />
        ) : bad > 0 ? (
          words.healthMore(bad)
        ) : lacks.length > 0 ? (
          lacks.map((name) => t.system.components.names[name] ?? name).join(", ")
        ) : health ? (
          <When at={health.checked_at} />
        ) : null
      }
    />
  );
}
