import { Badge, Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import type { Connected } from "../agent/state";
import { Loaded } from "../parts/page";
import { useMay, useMe } from "../session/hooks";
import { useText } from "../text";
import { Details, TokenCard } from "./card";
import classes from "./card.module.css";
import { useDevice, useSeen } from "./data";
import { type Device, type Request, withToken } from "./next";
import { TokenPicture } from "./picture";
import { RegisterDialog } from "./register";
import { slotViews } from "./slots";

type Props = { token: Connected; onFlow: (device: Device, request: Request) => void };

/** Plugged is a token that is in this computer now, whether it is on record or not. */
export function Plugged({ token, onFlow }: Props) {
  const words = useText().tokens;
  const me = useMe();
  const may = useMay();
  const query = useDevice(token.serial);
  const [giving, setGiving] = useState(false);
  return (
    <>
      <Loaded query={query} height={300}>
        {(device) =>
          device ? (
            <TokenCard
              device={withToken(device, token)}
              plugged
              mine={device.owner?.id === me.id}
              onFlow={onFlow}
              extra={
                !device.owner && device.status === "in_stock" && may("update-hwkey") && may("list-users") ? (
                  <Button onClick={() => setGiving(true)}>{words.stranger.button}</Button>
                ) : null
              }
            />
          ) : (
            <Stranger token={token} onRegister={may("register-hwkey") ? () => setGiving(true) : undefined} />
          )
        }
      </Loaded>
      {giving ? (
        <RegisterDialog
          token={token}
          device={query.data ?? undefined}
          opened
          onClose={() => setGiving(false)}
          onRegistered={(device) => onFlow(device, { what: "setup" })}
        />
      ) : null}
    </>
  );
}

/** Stranger is a plugged-in token that this person sees no record of. */
function Stranger({ token, onRegister }: { token: Connected; onRegister?: (() => void) | undefined }) {
  const words = useText().tokens;
  const seen = useSeen(token.serial, true);
  const name = token.model || token.serial;
  return (
    <Card component="section" aria-label={`${name} ${token.serial}`} className={classes.card}>
      <div className={classes.small}>
        <TokenPicture
          serial={token.serial}
          formFactor={token.form_factor}
          model={token.model}
          slots={slotViews([], seen.data?.card)}
          plugged
          width={48}
        />
        <Stack gap="xs">
          <div>
            <Group gap="xs">
              <Title order={2}>{name}</Title>
              <Badge variant="light" color="orange" tt="none">
                {words.stranger.badge}
              </Badge>
            </Group>
            <Details device={{ ...token, model: "" }} />
          </div>
          <Text size="sm">
            {seen.isError ? words.stranger.unreadable : onRegister ? words.stranger.manager : words.stranger.user}
          </Text>
          {onRegister ? (
            <Group>
              <Button onClick={onRegister}>{words.stranger.button}</Button>
            </Group>
          ) : null}
        </Stack>
      </div>
    </Card>
  );
}
