import { ActionIcon, Text, Tooltip } from "@mantine/core";
import {
  IconCertificate,
  IconDownload,
  IconShieldCheck,
  IconShieldHalf,
  IconShieldQuestion,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { save } from "../../api/client";
import chain from "../../certificates/chain.module.css";
import { When } from "../../parts/when";
import { useText } from "../../text";
import { fileOf } from "./files";
import type { CA } from "./queries";
import { nameOf } from "./step";

/** Drawing is a CA's chain, the root on top, and how many certificates hang below it. */
export function Drawing({ ca }: { ca: CA }) {
  const words = useText().cas.chain;
  const name = nameOf(ca.subject);
  const live = ca.certificates_live;
  return (
    <ol className={chain.chain} aria-label={words.label(name)} style={{ alignContent: "start" }}>
      {ca.state === "requested" ? (
        <>
          <Link icon={<IconShieldQuestion size={18} aria-hidden />} name={words.signer} hint={words.signerHint} />
          <Link icon={<IconShieldHalf size={18} aria-hidden />} name={name} hint={words.own} />
        </>
      ) : (
        ca.chain.toReversed().map((link, i) => <Member key={link.fingerprint} ca={ca} link={link} top={i === 0} />)
      )}
      <Link
        icon={<IconCertificate size={18} aria-hidden />}
        name={live > 0 ? words.live(live) : words.noneLive}
        quiet={live === 0}
      />
    </ol>
  );
}

/** Member is a certificate of the chain, which can be saved. */
function Member({ ca, link, top }: { ca: CA; link: CA["chain"][number]; top: boolean }) {
  const { chain: words, actions } = useText().cas;
  const name = nameOf(link.subject);
  const own = link.fingerprint === ca.fingerprint;
  const role = own ? (top ? words.ownRoot : words.own) : top ? words.root : words.intermediate;
  const label = actions.certificate(name);
  return (
    <Link
      icon={top ? <IconShieldCheck size={18} aria-hidden /> : <IconShieldHalf size={18} aria-hidden />}
      name={name}
      hint={
        <>
          {role} · {words.expires} <When at={link.not_after} as="day" />
        </>
      }
      aside={
        <Tooltip label={label}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={label}
            onClick={() => save(new Blob([link.pem], { type: "application/x-pem-file" }), fileOf(name, "pem"))}
          >
            <IconDownload size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      }
    />
  );
}

type LinkProps = { icon: ReactNode; name: string; hint?: ReactNode; aside?: ReactNode; quiet?: boolean };

function Link({ icon, name, hint, aside, quiet = false }: LinkProps) {
  return (
    <li className={chain.link}>
      <span className={chain.sign}>{icon}</span>
      <div style={{ minWidth: 0, overflowWrap: "anywhere" }}>
        <Text fw={quiet ? undefined : 600} c={quiet ? "dimmed" : undefined} size={quiet ? "sm" : undefined}>
          {name}
        </Text>
        {hint ? (
          <Text size="xs" c="dimmed" component="div">
            {hint}
          </Text>
        ) : null}
      </div>
      {aside}
    </li>
  );
}
