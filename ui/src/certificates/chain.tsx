import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { IconCertificate, IconShieldCheck, IconShieldHalf } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Panel } from "../parts/page";
import { Warning } from "../parts/warning";
import { When } from "../parts/when";
import { useText } from "../text";
import classes from "./chain.module.css";
import type { Issuers } from "./issuers";
import type { OneCertificate } from "./queries";

type Props = {
  certificate: OneCertificate;
  /** null while the chain is being fetched. */
  issuers: Issuers | null;
  onRetry: () => void;
};

/** Chain draws who vouches for a certificate, down to the root. */
export function Chain({ certificate, issuers, onRetry }: Props) {
  const t = useText();
  const words = t.certificates.chain;
  if (issuers === "other") {
    return (
      <Panel title={words.title}>
        <Text size="sm">{words.other}</Text>
      </Panel>
    );
  }
  if (issuers === "unreadable") {
    return (
      <Panel title={words.title}>
        <Warning danger role="alert">
          <Stack gap="xs" align="flex-start">
            <Text size="sm">{words.unreadable}</Text>
            <Button size="xs" variant="default" onClick={onRetry}>
              {t.common.actions.retry}
            </Button>
          </Stack>
        </Warning>
      </Panel>
    );
  }
  return (
    <Panel title={words.title}>
      <ol className={classes.chain}>
        <Link icon={<IconCertificate size={18} aria-hidden />} name={certificate.common_name} role={words.this}>
          <When at={certificate.not_after} as="day" />
        </Link>
        {issuers ? (
          issuers.map((ca, i) => (
            <Link
              key={ca.serialNumber}
              icon={
                i === issuers.length - 1 ? (
                  <IconShieldCheck size={18} aria-hidden />
                ) : (
                  <IconShieldHalf size={18} aria-hidden />
                )
              }
              name={ca.name}
              role={i === issuers.length - 1 ? words.root : words.intermediate}
            >
              <When at={ca.notAfter} as="day" />
            </Link>
          ))
        ) : (
          <li>
            <Skeleton height={44} />
          </li>
        )}
      </ol>
      <Text size="xs" c="dimmed" mt="sm">
        {words.explain}
      </Text>
    </Panel>
  );
}

function Link({ icon, name, role, children }: { icon: ReactNode; name: string; role: string; children: ReactNode }) {
  const t = useText();
  return (
    <li className={classes.link}>
      <span className={classes.sign}>{icon}</span>
      <div>
        <Text fw={600}>{name}</Text>
        <Text size="xs" c="dimmed">
          {role} · {t.certificates.chain.until} {children}
        </Text>
      </div>
    </li>
  );
}
