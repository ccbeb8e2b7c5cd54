import { Button, Group } from "@mantine/core";
import { IconCircleCheck, IconLock, IconMailForward, IconUsb, IconUserOff } from "@tabler/icons-react";
import type { Schema } from "../../api/client";
import { looks } from "../../overview/minetasks";
import { ButtonLink } from "../../parts/link";
import { called } from "../../parts/person";
import { Proposal } from "../../parts/proposal";
import { day, exact, relative, useMinute } from "../../parts/when";
import { useLanguage, useText } from "../../text";
import type { Access } from "./access";
import { dueWords } from "./due";
import type { Next } from "./next";

type Props = { user: Schema<"User">; next: Next; access: Access; onAssign: () => void };

/** NextStep proposes one thing to do with an account, and does it or leads to where it is done. */
export function NextStep({ user, next, access, onAssign }: Props) {
  const t = useText();
  const words = t.person.next;
  const language = useLanguage();
  useMinute();
  const name = called(user);
  const { busy } = access;
  switch (next.what) {
    case "leave":
      return (
        <Proposal
          tone="urgent"
          icon={IconUserOff}
          title={t.people.leave.left(next.tokens, next.certificates)}
          text={words.leaveText}
          action={
            <Group gap="xs">
              <Button color="red.8" onClick={access.leave}>
                {words.leave}
              </Button>
              <TakeBack serials={next.out} variant="default" />
            </Group>
          }
        />
      );
    case "takeBack":
      return (
        <Proposal
          tone="soon"
          icon={IconUsb}
          title={words.stillOut(name, next.out.length, new Intl.ListFormat(language).format(next.out))}
          text={words.stillOutText}
          action={<TakeBack serials={next.out} />}
        />
      );
    case "disabled":
      return <Proposal tone="calm" icon={IconUserOff} title={words.disabled(name)} text={words.disabledText} />;
    case "unlock":
      return (
        <Proposal
          tone="urgent"
          icon={IconLock}
          title={words.locked(name, exact(next.until, language))}
          text={words.lockedText}
          action={
            <Button loading={busy} onClick={access.unlock}>
              {t.people.access.unlock}
            </Button>
          }
        />
      );
    case "invite":
      return (
        <Proposal
          tone="soon"
          icon={IconMailForward}
          title={next.invited ? words.expired(name, relative(next.invited, language)) : words.uninvited(name)}
          text={next.invited ? words.expiredText : words.uninvitedText}
          action={
            <Button loading={busy} onClick={access.invite}>
              {next.invited ? words.again : t.people.invite.action}
            </Button>
          }
        />
      );
    case "invited":
      return (
        <Proposal
          tone="calm"
          icon={IconMailForward}
          title={words.invited(name, relative(next.at, language))}
          text={words.invitedText}
          action={
            <Button variant="default" loading={busy} onClick={access.invite}>
              {words.again}
            </Button>
          }
        />
      );
    case "assign":
      return (
        <Proposal
          tone="soon"
          icon={IconUsb}
          title={words.tokenless(name)}
          text={words.tokenlessText}
          action={<Button onClick={onAssign}>{t.person.assign.action}</Button>}
        />
      );
    case "token": {
      const { token, kind } = next.duty;
      const look = looks[kind];
      return (
        <Proposal
          {...look}
          title={words.token(token.label ? `${token.label} (${token.serial})` : token.serial, dueWords(t, next.duty))}
          text={kind === "suspended" ? words.suspendedText : words.tokenText}
          action={
            <ButtonLink
              to="/tokens/$serial"
              params={{ serial: token.serial }}
              variant={look.tone === "calm" ? "default" : "filled"}
            >
              {kind === "ends" || kind === "expired" || kind === "revoked" ? t.overview.mine.endsAction : words.open}
            </ButtonLink>
          }
        />
      );
    }
    case "nothing":
      return (
        <Proposal
          tone="good"
          icon={IconCircleCheck}
          title={words.nothing(name)}
          text={next.until ? words.until(day(next.until, language)) : undefined}
        />
      );
  }
}

/** So many tokens have a button of their own here; the others are in the list below. */
const most = 3;

/** TakeBack leads to the page of each token, where it is taken back as soon as it is plugged in. */
function TakeBack({ serials, variant }: { serials: readonly string[]; variant?: "default" }) {
  const words = useText().tokens.actions;
  return (
    <Group gap="xs">
      {serials.slice(0, most).map((serial) => (
        <ButtonLink
          key={serial}
          to="/tokens/$serial"
          params={{ serial }}
          state={{ wish: "take_back" }}
          {...(variant && { variant })}
        >
          {serials.length > 1 ? `${words.take_back}: ${serial}` : words.take_back}
        </ButtonLink>
      ))}
    </Group>
  );
}
