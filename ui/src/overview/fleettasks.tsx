import {
  IconCertificate2Off,
  IconClipboardCheck,
  IconHourglassLow,
  IconListCheck,
  IconLock,
  IconRefreshAlert,
  IconShieldUp,
  IconShieldX,
  IconSparkles,
  IconUserQuestion,
} from "@tabler/icons-react";
import { freshness, type Seal } from "../admin/audit/freshness";
import type { CA } from "../admin/cas/queries";
import { shorterFrom, stepOf } from "../admin/cas/step";
import type { Schema } from "../api/client";
import { ButtonLink } from "../parts/link";
import { called } from "../parts/person";
import { day } from "../parts/when";
import type { Catalogue } from "../text";
import type { Fleet } from "./fleet";
import type { Task } from "./todo";

export type Facts = {
  fleet: Fleet | undefined;
  rotations: Schema<"PageHWKey"> | undefined;
  locked: Schema<"PageListedUser"> | undefined;
  crl: Schema<"Status"> | undefined;
  seal: Seal | undefined;
  cas: readonly CA[] | undefined;
};

const look = { variant: "light", size: "xs" } as const;

/** fleetTasks says what needs doing in everything that a manager looks after. */
export function fleetTasks(
  t: Catalogue,
  language: string,
  { fleet, rotations, locked, crl, seal, cas }: Facts,
): Task[] {
  const words = t.overview.fleet;
  const number = new Intl.NumberFormat(language);
  const tasks: Task[] = [];
  const add = (...more: Task[]) => tasks.push(...more);
  if (crl?.is_stale) {
    add({
      id: "crl",
      tone: "urgent",
      icon: IconListCheck,
      text: words.crl,
      action: (
        <ButtonLink to="/system/health" {...look}>
          {words.crlAction}
        </ButtonLink>
      ),
    });
  }
  if (seal && ["problem", "late"].includes(freshness(seal))) {
    add({
      id: "seal",
      tone: "urgent",
      icon: IconShieldX,
      text: words.seal,
      action: (
        <ButtonLink to="/admin/audit" {...look}>
          {words.sealAction}
        </ButtonLink>
      ),
    });
  }
  add(...successor(t, language, cas ?? []));
  for (const u of locked?.items.slice(0, 3) ?? []) {
    add({
      id: `locked ${u.id}`,
      tone: "urgent",
      icon: IconLock,
      text: words.locked(called(u)),
      action: (
        <ButtonLink to="/admin/people/$id" params={{ id: String(u.id) }} {...look}>
          {words.lockedAction}
        </ButtonLink>
      ),
    });
  }
  const others = (locked?.items.length ?? 0) - 3;
  if (others > 0) {
    const more = number.format(others) + (locked?.next_cursor ? "+" : "");
    add({
      id: "locked",
      tone: "urgent",
      icon: IconLock,
      text: words.lockedMore(others, more),
      action: (
        <ButtonLink to="/admin/people" search={{ state: "locked" }} {...look}>
          {words.lockedMoreAction}
        </ButtonLink>
      ),
    });
  }
  for (const k of rotations?.items.slice(0, 3) ?? []) {
    add({
      id: `rotation ${k.serial}`,
      tone: "soon",
      icon: IconRefreshAlert,
      text: words.rotation(k.label ? `${k.label} (${k.serial})` : k.serial, k.owner ? called(k.owner) : ""),
      action: (
        <ButtonLink to="/tokens/$serial" params={{ serial: k.serial }} {...look}>
          {words.rotationAction}
        </ButtonLink>
      ),
    });
  }
  const further = (rotations?.items.length ?? 0) - 3;
  if (further > 0) {
    const more = number.format(further) + (rotations?.next_cursor ? "+" : "");
    add({
      id: "rotations",
      tone: "soon",
      icon: IconRefreshAlert,
      text: words.rotationsMore(further, more),
      action: (
        <ButtonLink to="/admin/tokens" search={{ show: "interrupted" }} {...look}>
          {words.rotationsMoreAction}
        </ButtonLink>
      ),
    });
  }
  if (fleet) tasks.push(...counted(t, number, fleet));
  return tasks;
}

/** successor asks for another CA in time, until one is active. */
function successor(t: Catalogue, language: string, cas: readonly CA[]): Task[] {
  const words = t.overview.fleet;
  const active = cas.find((ca) => ca.state === "active");
  const step = active && stepOf(active, cas);
  if (!active || !step || step === "fine") return [];
  const over = step === "over" || Date.parse(active.not_after ?? "") <= Date.now();
  return [
    {
      id: "ca",
      tone: over ? "urgent" : "soon",
      icon: IconShieldUp,
      text: over ? words.caOver : words.ca(day(shorterFrom(active), language)),
      action: (
        <ButtonLink to="/admin/cas" {...look}>
          {words.caAction}
        </ButtonLink>
      ),
    },
  ];
}

/** counted says what the numbers of the fleet ask for. */
function counted(t: Catalogue, number: Intl.NumberFormat, fleet: Fleet): Task[] {
  const words = t.overview.fleet;
  const tasks: Task[] = [];
  const { assigned } = fleet.byStatus;
  if (fleet.expired > 0) {
    tasks.push({
      id: "ended",
      tone: "urgent",
      icon: IconCertificate2Off,
      text: words.ended(fleet.expired, number.format(fleet.expired)),
      action: (
        <ButtonLink to="/certificates" search={{ show: "lapsed" }} {...look}>
          {words.endedAction}
        </ButtonLink>
      ),
    });
  }
  if (fleet.expiring > 0) {
    tasks.push({
      id: "ending",
      tone: "soon",
      icon: IconHourglassLow,
      text: words.ending(fleet.expiring, number.format(fleet.expiring)),
      action: (
        <ButtonLink to="/certificates" search={{ show: 30 }} {...look}>
          {words.endingAction}
        </ButtonLink>
      ),
    });
  }
  if (assigned > 0) {
    tasks.push({
      id: "setUp",
      tone: "soon",
      icon: IconSparkles,
      text: words.setUp(assigned, number.format(assigned)),
      action: (
        <ButtonLink to="/admin/tokens" search={{ status: "assigned" }} {...look}>
          {words.setUpAction}
        </ButtonLink>
      ),
    });
  }
  const { count, users } = fleet.tokenless;
  if (count > 0) {
    const one = count === 1 ? users[0] : undefined;
    tasks.push({
      id: "tokenless",
      tone: "calm",
      icon: IconUserQuestion,
      text: one ? words.tokenlessOne(called(one)) : words.tokenless(number.format(count), names(users), count > 3),
      action: one ? (
        <ButtonLink to="/admin/people/$id" params={{ id: String(one.id) }} {...look} variant="default">
          {words.tokenlessAction}
        </ButtonLink>
      ) : (
        <ButtonLink to="/admin/people" search={{ state: "active", tokens: "none" }} {...look} variant="default">
          {words.tokenlessAction}
        </ButtonLink>
      ),
    });
  }
  if (fleet.old > 0) {
    tasks.push({
      id: "old",
      tone: "calm",
      icon: IconClipboardCheck,
      text: words.old(fleet.old, number.format(fleet.old)),
      action: (
        <ButtonLink to="/admin/tokens" search={{ show: "old-365" }} {...look} variant="default">
          {words.oldAction}
        </ButtonLink>
      ),
    });
  }
  return tasks;
}

function names(users: Schema<"TokenlessUser">[]): string {
  return users.slice(0, 3).map(called).join(", ");
}
