import { IconCircleCheck, IconLock, IconPlugConnectedX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { Schema } from "../api/client";
import { Copyable } from "../parts/copy";
import { Panel } from "../parts/page";
import { Status } from "../parts/status";
import { When } from "../parts/when";
import { useText } from "../text";
import { Facts } from "./facts";

const looks = {
  connected: { color: "accent", icon: IconCircleCheck },
  disconnected: { color: "red", icon: IconPlugConnectedX },
  sealed: { color: "red", icon: IconLock },
  denied: { color: "red", icon: IconLock },
};

/** Vault shows where the secrets lie, and which CA signs. */
export function Vault({ report }: { report: Schema<"VaultReport"> }) {
  const text = useText().system;
  const t = text.vault;
  const { ca } = report;
  const items: [string, ReactNode][] = [[t.engine, text.about.engineNames[report.engine] ?? report.engine]];
  if (ca) {
    items.push(
      [t.subject, ca.subject],
      [t.key, ca.key_type],
      [t.until, <When key="u" at={ca.not_after} as="day" />],
      [t.serial, <Copyable key="s" value={ca.serial_number} label={t.serial} />],
    );
  }
  return (
    <Panel title={t.title} aside={<Status {...looks[report.state]}>{t.state[report.state]}</Status>}>
      <Facts items={items} />
    </Panel>
  );
}
