import { Alert, Anchor, Badge, Card as Frame, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { called } from "../parts/person";
import { ProblemAlert } from "../parts/problem";
import { useText } from "../text";
import { Actions } from "./actions";
import classes from "./card.module.css";
import { profilesQuery, useRecords, useSeen } from "./data";
import { Facts } from "./facts";
import { Label } from "./label";
import {
  continuing,
  type Device,
  isFlow,
  neverChosen,
  type Plan,
  plan,
  type Remark as RemarkName,
  type Request,
  wished,
} from "./next";
import { TokenPicture } from "./picture";
import { SlotList } from "./slotlist";
import { type OnRecord, slotViews } from "./slots";

/** titleOf names a token: by its label, its model, or its serial. */
export function titleOf(device: Pick<Device, "label" | "model" | "serial">): string {
  return device.label || device.model || device.serial;
}

type Props = {
  device: Device;
  plugged: boolean;
  /** It is not known yet whether it is plugged in. */
  looking?: boolean;
  /** The signed-in person owns it. */
  mine: boolean;
  onFlow: (device: Device, request: Request) => void;
  /** What to go on with as soon as the card was read, if that is undone: see continuing. */
  resume?: string | undefined;
  /** What somebody came to do, begun as soon as the card was read, if it can be done. */
  wish?: string | undefined;
  /** It can't be done now. */
  onVain?: () => void;
  /** On the token's own page its name is the page's title already. */
  whole?: boolean;
  /** More to do, beside the flows. */
  extra?: ReactNode;
};

/** TokenCard is a token as a person sees it: the picture, its slots, its figures, what to do next. */
export function TokenCard({
  device,
  plugged,
  looking = false,
  mine,
  onFlow,
  resume,
  wish,
  onVain,
  whole = false,
  extra,
}: Props) {
  const t = useText();
  const words = t.tokens;
  const seen = useSeen(device.serial, plugged);
  // The short list names living certificates only; a card may hold a revoked one.
  const records = useRecords(device.serial, plugged || whole);
  const profiles = useQuery({ ...profilesQuery(device.serial), enabled: whole }).data;
  const known: readonly OnRecord[] = records.data?.items ?? device.certificates;
  const views = slotViews(known, plugged ? seen.data?.card : undefined, undefined, seen.data?.at);
  const settled = seen.data && (records.data || records.isError);
  const what: Plan = plugged && settled && seen.data ? plan(device, seen.data, views, mine) : { others: [] };
  const reading = looking || (plugged && !settled && !seen.isError);
  // The record's remark stands from the start, so that nothing moves when the card bears it out.
  const remark = what.remark ?? (mine ? expected(device) : undefined);
  const name = titleOf(device);
  const left = resume ? continuing(what, resume) : wish ? wished(what, wish) : undefined;
  const refused = plugged && settled && !left && isFlow(wish) ? wish : undefined;
  const [vain, setVain] = useState<typeof refused>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: said once, and not begun later
  useEffect(() => {
    if (!refused) return;
    setVain(refused);
    onVain?.();
  }, [refused]);
  // The plan is another object each time; what it names stays the same.
  const { what: flow, slot } = left ?? {};
  // biome-ignore lint/correctness/useExhaustiveDependencies: a flow is begun once for what is undone
  useEffect(() => {
    if (flow) onFlow(device, slot ? { what: flow, slot } : { what: flow });
  }, [flow, slot]);
  return (
    <Frame component="section" aria-label={`${name} ${device.serial}`} className={classes.card}>
      <div className={classes.grid}>
        <div className={classes.picture}>
          <TokenPicture
            serial={device.serial}
            formFactor={device.form_factor}
            model={device.model}
            slots={views}
            plugged={plugged}
            {...(seen.data && plugged
              ? { tries: { pin: seen.data.card.pin_retries, puk: seen.data.card.puk_retries } }
              : {})}
            width={128}
          />
        </div>
        <div>
          <Group gap="xs">
            {whole ? (
              <Label device={device} />
            ) : (
              <Title order={2}>
                <Anchor component={Link} to={`/tokens/${device.serial}`} c="inherit" inherit>
                  {name}
                </Anchor>
              </Title>
            )}
            {mine || (whole && device.owner) ? null : (
              <Badge variant="light" color="gray" tt="none">
                {device.owner ? words.other.badge(called(device.owner)) : words.other.stock}
              </Badge>
            )}
          </Group>
          <Details device={device} />
        </div>
        <div className={classes.body}>
          <Stack gap="sm">
            {remark ? <Remark text={words.states[remark]} /> : null}
            {vain ? (
              <Text size="sm" role="status">
                {words.vain(t.find.actions[vain])}
              </Text>
            ) : null}
            <SlotList views={views} label={words.page.slots} reading={reading} profiles={profiles} />
            {plugged && seen.isError ? <ProblemAlert error={seen.error} onRetry={() => void seen.refetch()} /> : null}
            {plugged && !device.owner ? <Text size="sm">{words.other.stockText}</Text> : null}
          </Stack>
        </div>
        <Group className={classes.todo} gap="xs" justify="space-between">
          {reading && device.owner && !(mine && out(device)) ? (
            <Skeleton className={device.enrolled_at ? classes.choices : classes.choice} />
          ) : null}
          {whole && !plugged && !looking ? (
            <Text size="sm" c="dimmed">
              {words.page.unplugged}
            </Text>
          ) : null}
          {device.owner || what.remark ? (
            <Actions
              plan={what}
              name={name}
              owner={mine || !device.owner ? undefined : called(device.owner)}
              onAct={(request) => onFlow(device, request)}
            />
          ) : null}
          {extra}
        </Group>
        <div className={classes.facts}>
          <Facts
            device={device}
            seen={seen.data}
            plugged={plugged || looking}
            looking={!plugged}
            mine={mine}
            whole={whole}
          />
        </div>
      </div>
    </Frame>
  );
}

/** Details is a token's model, firmware and serial in a line. */
export function Details({ device }: { device: Pick<Device, "model" | "firmware_version" | "serial"> }) {
  const words = useText().tokens.facts;
  const parts = [device.model, device.firmware_version ? words.firmware(device.firmware_version) : ""].filter(Boolean);
  return (
    <Text size="sm" c="dimmed">
      {parts.map((p) => `${p} · `)}
      <span className="mono">{device.serial}</span>
    </Text>
  );
}

/** out: the token's owner can do nothing with it, and why. */
function out({ status }: Device): "suspended" | "lost" | "retired" | undefined {
  return status === "suspended" || status === "lost" || status === "retired" ? status : undefined;
}

/** expected is the remark that the record alone gives; plan has the last word, and may know a graver one. */
function expected(device: Device): RemarkName | undefined {
  if (out(device)) return out(device);
  if (device.secrets.rotation_pending) return "pending";
  return neverChosen(device) ? "ownPin" : undefined;
}

function Remark({ text }: { text: string }) {
  return (
    <Alert variant="light" color="orange" icon={<IconInfoCircle aria-hidden />} p="xs">
      <Text size="sm">{text}</Text>
    </Alert>
  );
}
