import { Skeleton, Text } from "@mantine/core";
import { IconCertificate, IconShieldCheck, IconShieldHalf } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Panel } from "../parts/page";
import { When } from "../parts/when";
import { useText } from "../text";
import classes from "./chain.module.css";
import type { OneCertificate } from "./queries";
import { derOf, parse, splitPem } from "./x509";

/**
 * issuersOf gives the PEM blocks of a certificate's issuers, root last, out of
 * the chain of the present CA; undefined when another CA issued it.
 */
export function issuersOf(certificate: OneCertificate, chain: string): string[] | undefined {
  const blocks = splitPem(chain);
  const first = blocks[0];
  if (!first) return undefined;
  return parse(derOf(first)).subject === parse(derOf(certificate.certificate)).issuer ? blocks : undefined;
}

type Props = {
  certificate: OneCertificate;
  /** null while the chain is being fetched. */
  issuers: string[] | null | undefined;
};

/** Chain draws who vouches for a certificate, down to the root. */
export function Chain({ certificate, issuers }: Props) {
  const t = useText();
  const words = t.certificates.chain;
  if (issuers === undefined) {
    return (
      <Panel title={words.title}>
        <Text size="sm">{words.other}</Text>
      </Panel>
    );
  }
  const cas = issuers?.map((block) => parse(derOf(block)));
  return (
    <Panel title={words.title}>
      <ol className={classes.chain}>
        <Link icon={<IconCertificate size={18} aria-hidden />} name={certificate.common_name} role={words.this}>
          <When at={certificate.not_after} as="day" />
        </Link>
        {cas ? (
          cas.map((ca, i) => (
            <Link
              key={ca.serialNumber}
              icon={
                i === cas.length - 1 ? (
                  <IconShieldCheck size={18} aria-hidden />
                ) : (
                  <IconShieldHalf size={18} aria-hidden />
                )
              }
              name={ca.name}
              role={i === cas.length - 1 ? words.root : words.intermediate}
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
