import { Button, Modal, PasswordInput, Stack, Text } from "@mantine/core";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from "react";
import { api, ask } from "../api/client";
import { isProblem } from "../api/problem";
import { useAttempt } from "../parts/attempt";
import { AttemptAlert } from "../parts/problem";
import { useText } from "../text";
import { aside, useFocusBack, useFocusNotes } from "./focus";
import { Line } from "./line";
import { session } from "./session";
import { RoundWindow } from "./window";

export { Cancelled } from "./line";

type Run = <T>(task: () => Promise<T>) => Promise<T>;
const Recent = createContext<Run>((task) => task());

/**
 * useRecent gives a function that carries out a task, and where the server
 * demands a recent sign-in asks the person for one, then does it again:
 *
 *	const recently = useRecent();
 *	await recently(() => ask(api.POST(…)));
 */
export function useRecent(): Run {
  return useContext(Recent);
}

export function RecentProvider({ children }: { children: ReactNode }) {
  const t = useText();
  const [line] = useState(() => new Line());
  const [open, setOpen] = useState(false);
  const [federated, setFederated] = useState(false);
  const [password, setPassword] = useState("");
  const attempt = useAttempt();
  const { busy, field, submit, clear } = attempt;

  useFocusNotes();
  useFocusBack(open);

  const run: Run = useCallback(
    async (task) => {
      for (;;) {
        try {
          return await task();
        } catch (error) {
          if (!isProblem(error, "reauthentication_required")) throw error;
        }
        // One question is enough for all; who comes later must not empty the field that is being filled in.
        if (!line.waiting) {
          const me = await ask(api.GET("/api/auth/me"));
          if (!line.waiting) {
            setFederated(me.auth_source === "oidc");
            setPassword("");
            clear();
            setOpen(true);
          }
        }
        await line.join();
      }
    },
    [line, clear],
  );

  const admit = useCallback(() => {
    setOpen(false);
    line.admit();
  }, [line]);
  const close = useCallback(() => {
    setOpen(false);
    line.dismiss();
  }, [line]);
  useEffect(
    () =>
      session.subscribe(() => {
        // A session that is over has nobody to confirm; what waits must not go on by the next one.
        if (session.snapshot().kind === "in" || !line.waiting) return;
        setPassword("");
        close();
      }),
    [close, line],
  );
  useEffect(
    () =>
      session.onProof(() => {
        if (!line.waiting) return;
        // It counts for the session of the cookie, which need not be the one of this page's token.
        void session.restore().finally(() => {
          if (session.snapshot().kind === "in") admit();
        });
      }),
    [admit, line],
  );
  const confirm = async () => {
    await session.reauthenticate({ password }).finally(() => setPassword(""));
    admit();
  };

  return (
    <Recent value={run}>
      {children}
      <Modal
        opened={open}
        onClose={close}
        title={t.login.recent.title}
        returnFocus={false}
        {...aside}
        // The question lies over the dialog whose action led to it.
        zIndex={400}
        closeButtonProps={{ "aria-label": t.common.actions.close }}
      >
        <form onSubmit={submit(confirm)} noValidate>
          <Stack>
            <Text size="sm">{t.login.recent.why}</Text>
            <AttemptAlert attempt={attempt} />
            {federated ? (
              <RoundWindow label={t.login.recent.sso} reauthenticate autofocus />
            ) : (
              <>
                <PasswordInput
                  data-autofocus
                  label={t.login.password}
                  autoComplete="current-password"
                  value={password}
                  error={field("password")}
                  onChange={(e) => setPassword(e.currentTarget.value)}
                />
                <Button type="submit" loading={busy} disabled={!password}>
                  {t.login.recent.submit}
                </Button>
              </>
            )}
          </Stack>
        </form>
      </Modal>
    </Recent>
  );
}
