import { Grid, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { Copyable } from "../../parts/copy";
import { Panel } from "../../parts/page";
import { When } from "../../parts/when";
import { Facts } from "../../system/facts";
import { type Catalogue, useText } from "../../text";
import { Drawing } from "./drawing";
import { NextStep } from "./nextstep";
import type { CA } from "./queries";
import { CAStatus } from "./status";
import { nameOf } from "./step";

type Props = {
  ca: CA;
  all: readonly CA[];
  onRenew: () => void;
};

/** Card shows one CA: what to do next, its chain, and what is known of it. */
export function Card({ ca, all, onRenew }: Props) {
  const t = useText();
  return (
    <Panel title={nameOf(ca.subject)} aside={<CAStatus state={ca.state} />}>
      <Stack gap="lg">
        <NextStep ca={ca} all={all} onRenew={onRenew} />
        <Grid gap="xl">
          <Grid.Col span={{ base: 12, md: 5 }}>
            <Drawing ca={ca} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 7 }}>
            <Facts items={factsOf(t, ca)} />
          </Grid.Col>
        </Grid>
      </Stack>
    </Panel>
  );
}

function factsOf(t: Catalogue, ca: CA): [string, ReactNode][] {
  const words = t.cas.facts;
  const items: [string, ReactNode][] = [
    [words.subject, ca.subject],
    [words.key, ca.key_type.toUpperCase()],
  ];
  if (ca.state !== "requested") {
    items.push(
      [words.signedBy, ca.parent ?? words.itself],
      [words.expires, <When key="ends" at={ca.not_after} as="both" />],
      [words.list, <List key="list" ca={ca} />],
    );
  }
  if (ca.crl_path) items.push([words.listAddress, <Address key="crl" path={ca.crl_path} label={words.listAddress} />]);
  if (ca.ca_path) {
    items.push([words.certificateAddress, <Address key="ca" path={ca.ca_path} label={words.certificateAddress} />]);
  }
  if (ca.fingerprint) {
    items.push([words.fingerprint, <Copyable key="print" value={ca.fingerprint} label={words.fingerprint} />]);
  }
  if (ca.requested_at) items.push([words.requested, <When key="asked" at={ca.requested_at} as="day" />]);
  if (ca.activated_at && ca.state === "active") {
    items.push([words.activated, <When key="since" at={ca.activated_at} as="day" />]);
  }
  if (ca.retired_at) items.push([words.retired, <When key="retired" at={ca.retired_at} as="day" />]);
  return items;
}

function List({ ca }: { ca: CA }) {
  const words = useText().cas.facts;
  if (!ca.crl) return words.noList;
  return (
    <>
      {words.listOf(ca.crl.number)} <When at={ca.crl.next_update} />
    </>
  );
}

/** Address is a public address of this site, in full, as other programs need it. */
export function Address({ path, label }: { path: string; label: string }) {
  return <Copyable value={window.location.origin + path} label={label} />;
}
