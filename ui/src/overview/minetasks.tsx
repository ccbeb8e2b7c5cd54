import {
  IconCertificate2Off,
  IconHourglassLow,
  IconLock,
  IconPassword,
  IconPlayerPause,
  IconPlugConnectedX,
  IconRefreshAlert,
  IconSparkles,
  IconUsb,
} from "@tabler/icons-react";
import type { AgentState } from "../agent/state";
import type { Schema } from "../api/client";
import { ButtonLink } from "../parts/link";
import type { Catalogue } from "../text";
import type { Seen } from "../token/next";
import { type Duty, duties, type Ended } from "./mine";
import type { Task } from "./todo";

const most = 6;

/** mineTasks says what a person has to do about the own tokens. */
export function mineTasks(
  t: Catalogue,
  tokens: Schema<"HWKey">[],
  certificates: readonly Ended[],
  cards: ReadonlyMap<string, Seen>,
  agent: AgentState["kind"],
): Task[] {
  const all = duties(tokens, certificates, cards);
  const tasks = all.slice(0, most).map((duty) => task(t, duty));
  if (all.length > most) {
    tasks.push({
      id: "more",
      tone: "calm",
      icon: IconSparkles,
      text: t.overview.todo.more(all.length - most),
      action: (
        <ButtonLink to="/tokens" variant="default" size="xs">
          {t.overview.tokens.all}
        </ButtonLink>
      ),
    });
  }
  if (tokens.length > 0 && agent !== "ready" && agent !== "checking") {
    tasks.push({
      id: "agent",
      tone: "calm",
      icon: IconPlugConnectedX,
      text: t.overview.mine.agent,
      action: (
        <ButtonLink to="/tokens" variant="default" size="xs">
          {t.overview.mine.agentAction}
        </ButtonLink>
      ),
    });
  }
  return tasks;
}

export const looks: Record<Duty["kind"], Pick<Task, "tone" | "icon">> = {
  bothBlocked: { tone: "urgent", icon: IconLock },
  pinBlocked: { tone: "urgent", icon: IconLock },
  pinLow: { tone: "urgent", icon: IconLock },
  pukBlocked: { tone: "soon", icon: IconLock },
  factory: { tone: "urgent", icon: IconPassword },
  missing: { tone: "urgent", icon: IconCertificate2Off },
  revoked: { tone: "urgent", icon: IconCertificate2Off },
  expired: { tone: "urgent", icon: IconCertificate2Off },
  ends: { tone: "soon", icon: IconHourglassLow },
  rotation: { tone: "urgent", icon: IconRefreshAlert },
  half: { tone: "urgent", icon: IconRefreshAlert },
  halfReset: { tone: "urgent", icon: IconRefreshAlert },
  begun: { tone: "urgent", icon: IconRefreshAlert },
  setUp: { tone: "soon", icon: IconSparkles },
  ownPin: { tone: "soon", icon: IconPassword },
  bare: { tone: "soon", icon: IconCertificate2Off },
  suspended: { tone: "calm", icon: IconPlayerPause },
  lost: { tone: "calm", icon: IconUsb },
  retired: { tone: "calm", icon: IconUsb },
};

/** undone is what the token's page goes on with as soon as it has read the card. */
function undone(duty: Duty): string | undefined {
  switch (duty.kind) {
    case "begun":
      return duty.certificate.slot;
    case "half":
    case "factory":
      return "setup";
    case "halfReset":
      return "reset";
    case "rotation":
    case "ownPin":
      return "pin";
    default:
      return undefined;
  }
}

function task(t: Catalogue, duty: Duty): Task {
  const words = t.overview.mine;
  const { token } = duty;
  const name = token.label ? t.overview.todo.label(token.label) : token.serial;
  const slot = "certificate" in duty ? duty.certificate.slot : "";
  return {
    id: `${duty.kind} ${token.serial} ${slot}`,
    ...looks[duty.kind],
    text:
      duty.kind === "ends"
        ? words.ends(slotName(t, slot), name, duty.days)
        : "certificate" in duty
          ? words[duty.kind](slotName(t, slot), name)
          : words[duty.kind](name),
    action: (
      <ButtonLink
        to="/tokens/$serial"
        params={{ serial: token.serial }}
        search={{ continue: undone(duty) }}
        variant={looks[duty.kind].tone === "calm" ? "default" : "light"}
        size="xs"
      >
        {words[`${duty.kind}Action`]}
      </ButtonLink>
    ),
  };
}

/** slotName says what a slot is for. */
export function slotName(t: Catalogue, slot: string): string {
  const names: Record<string, string> = t.certificates.slots;
  return names[slot] ?? slot;
}
