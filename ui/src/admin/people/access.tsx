import { Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask, type Schema } from "../../api/client";
import { useAttempt } from "../../parts/attempt";
import { ConfirmDialog } from "../../parts/confirm";
import { called, identified } from "../../parts/person";
import { done, tell } from "../../parts/problem";
import { OnceDialog } from "../../parts/shownonce";
import { useRecent } from "../../session/recent";
import { useText } from "../../text";
import { changed } from "../queries";
import { invite } from "./invite";
import { LeaveDialog } from "./leave";

/** useAccess is what decides whether the person gets in: disabled or not, locked or not, the password. */
export function useAccess(user: Schema<"User">) {
  const t = useText();
  const words = t.people.access;
  const queries = useQueryClient();
  const recently = useRecent();
  const [dialog, setDialog] = useState<"leave" | "reset" | null>(null);
  const [password, setPassword] = useState<string | null>(null);
  const [link, setLink] = useState<Schema<"Invitation"> | null>(null);
  const { busy, run } = useAttempt();
  const path = { id: user.id };

  const act = (task: () => Promise<unknown>, message?: string) =>
    void run(async () => {
      try {
        await task();
        if (message) done(message);
        void changed(queries);
      } catch (error) {
        tell(error);
      }
    });
  const reset = async () => {
    const answer = await recently(() =>
      ask(api.POST("/api/admin/users/{id}/reset-password", { params: { path }, body: {} })),
    );
    setPassword(answer.password ?? null);
    void changed(queries);
  };
  return {
    busy,
    unlock: () =>
      act(() => ask(api.POST("/api/admin/users/{id}/unlock", { params: { path } })), words.unlocked(called(user))),
    enable: () =>
      act(
        () => recently(() => ask(api.PATCH("/api/admin/users/{id}", { params: { path }, body: { is_active: true } }))),
        words.enabled(called(user)),
      ),
    invite: () => act(async () => setLink(await invite(user.id, recently))),
    reset: () => setDialog("reset"),
    leave: () => setDialog("leave"),
    dialogs: (
      <>
        <LeaveDialog user={user} opened={dialog === "leave"} onClose={() => setDialog(null)} />
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
      </>
    ),
  };
}
export type Access = ReturnType<typeof useAccess>;
