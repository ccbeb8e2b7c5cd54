import { Group, Stack, Text } from "@mantine/core";
import type { Schema } from "../api/client";
import { Lifetime } from "../parts/lifetime";
import { TextLink } from "../parts/link";
import { Panel } from "../parts/page";
import { TokenStatus } from "../parts/status";
import { useText } from "../text";
import { slotName } from "./minetasks";
import classes from "./owntokens.module.css";

const most = 4;

/** OwnTokens shows a person's tokens with what is left of their certificates. */
export function OwnTokens({ tokens }: { tokens: Schema<"HWKey">[] }) {
  const t = useText();
  const words = t.overview.tokens;
  return (
    <Panel
      title={words.title}
      aside={
        <TextLink to="/tokens" size="sm">
          {words.all}
        </TextLink>
      }
    >
      <Stack gap="md">
        {tokens.slice(0, most).map((token) => (
          <div key={token.serial}>
            <Group gap="xs" mb={6}>
              <TextLink to="/tokens/$serial" params={{ serial: token.serial }} fw={600}>
                {token.label || token.serial}
              </TextLink>
              {token.label ? (
                <Text span size="xs" c="dimmed" className="mono">
                  {token.serial}
                </Text>
              ) : null}
              <TokenStatus value={token.status} />
            </Group>
            {token.certificates.map((c) => (
              <div key={c.serial_number} className={classes.certificate}>
                <TextLink to="/certificates/$serial" params={{ serial: c.serial_number }} size="sm">
                  {slotName(t, c.slot)}
                </TextLink>
                <Lifetime notBefore={c.not_before} notAfter={c.not_after} />
              </div>
            ))}
            {token.certificates.length === 0 ? (
              <Text size="sm" c="dimmed">
                {words.none}
              </Text>
            ) : null}
          </div>
        ))}
      </Stack>
    </Panel>
  );
}
