import { Alert, Group, Text } from "@mantine/core";
import { IconAlertTriangle, IconBan, IconClockOff, IconHelpCircle } from "@tabler/icons-react";
import { certificateState } from "../parts/certificate-state";
import { Lifetime } from "../parts/lifetime";
import { TextLink } from "../parts/link";
import { Panel } from "../parts/page";
import { CertificateStatus } from "../parts/status";
import { When } from "../parts/when";
import { type Catalogue, useText } from "../text";
import type { Certificate } from "./queries";

/** reasonName says a revocation reason in plain words. */
function reasonName(words: Catalogue["certificates"], reason: string | null): string {
  const known: Record<string, { name: string }> = words.revoke.reasons;
  return known[reason ?? "unspecified"]?.name ?? reason ?? "";
}

/** Standing shows how a certificate stands, and what to do about it. */
export function Standing({ certificate: c }: { certificate: Certificate }) {
  const t = useText();
  const words = t.certificates.detail;
  const state = certificateState(c);
  return (
    <Panel>
      <Group gap="md" wrap="nowrap" mb={state === "issued" ? 0 : "sm"}>
        <CertificateStatus certificate={c} />
        <div style={{ flex: 1, minWidth: 0 }}>
          <Lifetime notBefore={c.not_before} notAfter={c.not_after} status={c.status} />
        </div>
      </Group>
      {state === "revoked" ? (
        <Alert color="red" variant="light" icon={<IconBan aria-hidden />} title={words.revokedTitle}>
          <Text size="sm">
            {words.revokedAt} <When at={c.revoked_at} /> · {words.revokedReason}:{" "}
            {reasonName(t.certificates, c.revocation_reason)}
          </Text>
        </Alert>
      ) : null}
      {state === "expired" ? (
        <Hint icon={IconClockOff} color="gray" text={words.expired} serial={c.hwkey_serial} />
      ) : null}
      {state === "expiring" ? (
        <Hint icon={IconAlertTriangle} color="orange" text={words.expiring} serial={c.hwkey_serial} />
      ) : null}
      {state === "unconfirmed" ? (
        <Hint icon={IconHelpCircle} color="orange" text={words.unconfirmed} serial={c.hwkey_serial} />
      ) : null}
    </Panel>
  );
}

type HintProps = { icon: typeof IconBan; color: string; text: string; serial: string };

function Hint({ icon: Sign, color, text, serial }: HintProps) {
  const t = useText();
  return (
    <Alert color={color} variant="light" icon={<Sign aria-hidden />}>
      <Text size="sm">
        {text}{" "}
        <TextLink to="/tokens/$serial" params={{ serial }} underline="always" inherit c="inherit">
          {t.certificates.detail.openToken}
        </TextLink>
      </Text>
    </Alert>
  );
}
