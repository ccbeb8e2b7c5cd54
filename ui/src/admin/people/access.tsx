import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconBan, IconCircleCheck, IconKey, IconLockOpen, IconMailForward } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { api, ask, type Schema } from "../../api/client";
import { useAttempt } from "../../parts/attempt";
import { ConfirmDialog } from "../../parts/confirm";
import { called, identified } from "../../parts/person";
import { done, tell } from "../../parts/problem";
import { OnceDialog } from "../../parts/shownonce";
import { useMe } from "../../session/hooks";
import { useRecent } from "../../session/recent";
import { useText } from "../../text";
import { changed } from "../queries";
import { invite } from "./invite";
import { LeaveDialog, useHolds } from "./leave";
import { isLocked } from "./list";
import { Section } from "./section";

type Props = { user: Schema<"User">; onDialog: (open: boolean) => void };

/** Access is what decides whether the person gets in: disabled or not, locked or not, the password. */
export function Access({ user, onDialog }: Props) {
  const t = useText();
  const words = t.people.access;
  const me = useMe();
  const queries = useQueryClient();
  const recently = useRecent();
  const left = useHolds(user.id, !user.is_active).data;
  const [dialog, setDialog] = useState<"disable" | "reset" | null>(null);
  const [password, setPassword] = useState<string | null>(null);
  const [link, setLink] = useState<Schema<"Invitation"> | null>(null);
  const { busy, run } = useAttempt();
  const open = dialog !== null || password !== null || link !== null;
  useEffect(() => {
    onDialog(open);
    return () => onDialog(false);
  }, [open, onDialog]);
  const self = user.id === me.id;

  const patch = (body: Schema<"UserPatch">) =>
    recently(() => ask(api.PATCH("/api/admin/users/{id}", { params: { path: { id: user.id } }, body })));
  const act = (task: () => Promise<unknown>, message: string) =>
    void run(async () => {
      try {
        await task();
        done(message);
        await changed(queries);
      } catch (error) {
        tell(error);
      }
    });
  const unlock = () => ask(api.POST("/api/admin/users/{id}/unlock", { params: { path: { id: user.id } } }));
  const reset = async () => {
    const answer = await recently(() =>
      ask(api.POST("/api/admin/users/{id}/reset-password", { params: { path: { id: user.id } }, body: {} })),
    );
    setPassword(answer.password ?? null);
    void changed(queries);
  };
  const inviteNow = () =>
    void run(async () => {
      try {
        setLink(await invite(user.id, recently));
        void changed(queries);
      } catch (error) {
        tell(error);
      }
    });
  const reasons = [
    self ? words.ownDisable : null,
    self ? words.ownReset : user.auth_source === "oidc" ? words.oidcReset : null,
  ].filter((reason) => reason !== null);
  return (
    <Section title={words.title}>
      <Stack gap="sm">
        {!user.is_active && left && left.tokens.length + left.certificates.length > 0 ? (
          <Alert color="orange" variant="light">
            <Group justify="space-between">
              <Text size="sm">{t.people.leave.left(left.tokens.length, left.certificates.length)}</Text>
              <Button size="xs" variant="default" disabled={busy} onClick={() => setDialog("disable")}>
                {t.people.leave.endNow}
              </Button>
            </Group>
          </Alert>
        ) : null}
        <Group gap="xs">
          {isLocked(user) ? (
            <Action icon={IconLockOpen} disabled={busy} onClick={() => act(unlock, words.unlocked(called(user)))}>
              {words.unlock}
            </Action>
          ) : null}
          {user.waiting ? (
            <Action icon={IconMailForward} disabled={busy || !user.is_active} onClick={inviteNow}>
              {t.people.invite.action}
            </Action>
          ) : null}
          <Action
            icon={IconKey}
            disabled={busy || self || user.auth_source === "oidc"}
            onClick={() => setDialog("reset")}
          >
            {words.reset}
          </Action>
          {user.is_active ? (
            <Action icon={IconBan} danger disabled={busy || self} onClick={() => setDialog("disable")}>
              {words.disable}
            </Action>
          ) : (
            <Action
              icon={IconCircleCheck}
              disabled={busy}
              onClick={() => act(() => patch({ is_active: true }), words.enabled(called(user)))}
            >
              {words.enable}
            </Action>
          )}
        </Group>
        {reasons.map((reason) => (
          <Text key={reason} size="xs" c="dimmed">
            {reason}
          </Text>
        ))}
      </Stack>
      <LeaveDialog user={user} opened={dialog === "disable"} onClose={() => setDialog(null)} />
      <ConfirmDialog
        opened={dialog === "reset"}
        onClose={() => setDialog(null)}
        onConfirm={reset}
        title={words.resetTitle(identified(user))}
        action={words.reset}
        danger
      >
        <Text size="sm">{words.resetText}</Text>
      </ConfirmDialog>
      <OnceDialog
        title={t.people.invite.title(identified(user))}
        label={t.people.invite.label}
        value={link?.url ?? null}
        warning={t.people.invite.said(link?.mailed ? user.email : null)}
        done={t.people.once.close}
        onDone={() => setLink(null)}
      />
      <OnceDialog
        title={words.resetDone(identified(user))}
        label={t.people.once.label}
        value={password}
        warning={`${t.people.once.text} ${t.people.once.mustChange}`}
        done={t.people.once.close}
        onDone={() => setPassword(null)}
      />
    </Section>
  );
}

function Action({
  icon: Icon,
  danger = false,
  disabled,
  onClick,
  children,
}: {
  icon: typeof IconKey;
  danger?: boolean;
  disabled: boolean;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <Button
      variant={danger ? "light" : "default"}
      color={danger ? "red" : undefined}
      leftSection={<Icon size={16} aria-hidden />}
      disabled={disabled}
      onClick={onClick}
    >
      {children}
    </Button>
  );
}
