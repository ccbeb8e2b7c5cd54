import { Button, Card, Collapse, Group, Skeleton, Stack, Text, ThemeIcon } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import {
  IconChevronDown,
  IconChevronUp,
  IconShieldCheck,
  IconShieldExclamation,
  IconShieldSearch,
  IconShieldX,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ComponentType, useId } from "react";
import { api, ask } from "../../api/client";
import { ProblemAlert } from "../../parts/problem";
import { every } from "../../parts/refetch";
import { When } from "../../parts/when";
import { useMay } from "../../session/hooks";
import { useLanguage, useText } from "../../text";
import { type Freshness, freshness, type Seal, sealKey } from "./freshness";
import { SealDetail } from "./sealdetail";
import { type Verification, VerificationState } from "./verify";

const looks: Record<Freshness, { color: string; icon: ComponentType<{ size?: number; stroke?: number }> }> = {
  good: { color: "accent", icon: IconShieldCheck },
  first: { color: "gray", icon: IconShieldCheck },
  late: { color: "orange", icon: IconShieldExclamation },
  problem: { color: "red", icon: IconShieldX },
};

/** useSeal asks how far the log is sealed. */
export function useSeal() {
  return useQuery({
    queryKey: sealKey,
    queryFn: () => ask(api.GET("/api/admin/audit/seal")),
    refetchInterval: every(30_000),
  });
}

/** SealCard says at a glance whether the log is sealed against changes, and opens to how that is checked. */
export function SealCard({ verification }: { verification: Verification }) {
  const t = useText();
  const id = useId();
  const may = useMay();
  const [open, { toggle }] = useDisclosure(false);
  const query = useSeal();
  if (query.isError && !query.data) {
    return <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />;
  }
  const seal = query.data;
  return (
    <Card component="section" py="sm" aria-label={t.audit.seal.title}>
      <Group justify="space-between" gap="sm" mih={44}>
        {seal ? <Glance seal={seal} /> : <Skeleton h={{ base: 64, xs: 42 }} maw={280} />}
        <Group gap="xs">
          {may("audit-verify") ? (
            <Button
              variant="default"
              leftSection={<IconShieldSearch size={16} aria-hidden />}
              loading={verification.state.at === "running"}
              onClick={verification.start}
            >
              {t.audit.verify.now}
            </Button>
          ) : null}
          <Button
            variant="subtle"
            rightSection={open ? <IconChevronUp size={16} aria-hidden /> : <IconChevronDown size={16} aria-hidden />}
            aria-expanded={open}
            aria-controls={id}
            onClick={toggle}
            disabled={!seal}
          >
            {open ? t.audit.seal.hide : t.audit.seal.show}
          </Button>
        </Group>
      </Group>
      <VerificationState of={verification} />
      <div id={id}>
        <Collapse expanded={open}>{seal && open ? <SealDetail seal={seal} /> : null}</Collapse>
      </div>
    </Card>
  );
}

function Glance({ seal }: { seal: Seal }) {
  const t = useText();
  const language = useLanguage();
  const number = new Intl.NumberFormat(language);
  const words = t.audit.seal;
  const state = freshness(seal);
  const { color, icon: Sign } = looks[state];
  const next = { good: undefined, first: words.firstText, late: words.lateText, problem: words.problemText }[state];
  return (
    <Group gap="sm" wrap="nowrap" mih={{ base: 64, xs: 42 }} style={{ flex: "1 1 260px" }}>
      <ThemeIcon variant="light" color={color} size={36} radius="xl" aria-hidden>
        <Sign size={20} />
      </ThemeIcon>
      <Stack gap={0}>
        <Text fw={650}>
          {words[state]}
          {seal.sealed_at ? (
            <>
              {" "}
              {words.upTo(number.format(seal.last_sealed_id))} · <When at={seal.sealed_at} />
            </>
          ) : null}
        </Text>
        {seal.problem ? <Text size="sm">{seal.problem}</Text> : null}
        <Text size="sm" c="dimmed" className="numbers">
          {seal.unsealed === 0 ? words.nothingWaits : words.waits(seal.unsealed, number.format(seal.unsealed))}
          {next ? `. ${next}` : ""}
        </Text>
      </Stack>
    </Group>
  );
}
