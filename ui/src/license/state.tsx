import { Alert, Button, Group, List, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconClockExclamation, IconHourglassLow } from "@tabler/icons-react";
import { Panel } from "../parts/page";
import { Status } from "../parts/status";
import { Warning } from "../parts/warning";
import { day } from "../parts/when";
import { Meter } from "../system/meter";
import { useLanguage, useText } from "../text";
import { kindOf, type License, leftOf, type Tone, toneOf } from "./standing";
import classes from "./state.module.css";

const looks: Record<Tone, { color: string; icon: typeof IconCircleCheck }> = {
  good: { color: "accent", icon: IconCircleCheck },
  warn: { color: "orange", icon: IconHourglassLow },
  bad: { color: "red", icon: IconAlertTriangle },
};

/** State says how the installation is licensed, how long that lasts, and what is restricted. onRemove: there is one to remove. */
export function State({ license, onRemove }: { license: License; onRemove?: () => void }) {
  const words = useText().license;
  const language = useLanguage();
  const kind = kindOf(license);
  const tone = toneOf(kind);
  const said = words.standing[kind];
  const until = license.ends_at ? day(license.ends_at, language) : "";
  return (
    <Panel>
      <Stack gap="md">
        <Group justify="space-between" gap="xs">
          <Title order={2}>{said.title}</Title>
          <Status {...looks[tone]}>{words.badges[kind]}</Status>
        </Group>
        <Text size="sm" maw={720}>
          {license.no_public_key ? words.noKey(license.status === "TRIAL" ? until : "") : said.text(until)}
        </Text>
        <Left license={license} tone={tone} />
        {license.clock_behind ? (
          <Alert color="orange" variant="light" icon={<IconClockExclamation aria-hidden />} title={words.clock.title}>
            <Text size="sm">{words.clock.text}</Text>
          </Alert>
        ) : null}
        {license.restricted ? <Restricted /> : null}
        {onRemove ? (
          <Group justify="flex-end">
            <Button variant="subtle" color="red" size="xs" onClick={onRemove}>
              {words.remove.action}
            </Button>
          </Group>
        ) : null}
      </Stack>
    </Panel>
  );
}

/** Left is what is left, as a bar and in words. */
function Left({ license, tone }: { license: License; tone: Tone }) {
  const words = useText().license;
  const left = leftOf(license);
  if (!left) return null;
  const said = tone === "bad" ? words.ended : words.left(left.days);
  const of = words.leftOf(String(Math.min(left.days, left.total)), left.total);
  return (
    <div>
      <Group justify="space-between" align="baseline" gap="xs" mb={6}>
        <Text className={`${classes.left} numbers`}>{said}</Text>
        <Text size="sm" c="dimmed" className="numbers">
          {of}
        </Text>
      </Group>
      <Meter label={`${said}: ${of}`} parts={[{ share: left.share, tone }]} />
    </div>
  );
}

function Restricted() {
  const words = useText().license.restricted;
  return (
    <Warning danger role="status" title={words.title}>
      <Stack gap={6}>
        <Text size="sm">{words.held}</Text>
        <List size="sm">
          {words.items.map((item) => (
            <List.Item key={item}>{item}</List.Item>
          ))}
        </List>
        <Text size="sm">{words.rest}</Text>
      </Stack>
    </Warning>
  );
}
