import { Alert, Button, Modal, PasswordInput, Stack, Text } from "@mantine/core";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from "react";
import { api, ask } from "../api/client";
import { isProblem } from "../api/problem";
import { ProblemAlert } from "../parts/problem";
import { useText } from "../text";
import { session } from "./session";

type Run = <T>(task: () => Promise<T>) => Promise<T>;
const Recent = createContext<Run>((task) => task());

/** Cancelled: the person did not want to confirm who they are. */
export class Cancelled extends Error {}

/**
 * useRecent gives a function that carries out a task, and where the server
 * demands a recent sign-in asks the person for the password, then does it again:
 *
 *	const recently = useRecent();
 *	await recently(() => ask(api.POST(…)));
 */
export function useRecent(): Run {
  return useContext(Recent);
}

type Waiting = { resolve: () => void; reject: (e: Error) => void };

export function RecentProvider({ children }: { children: ReactNode }) {
  const t = useText();
  const waiting = useRef<Waiting | null>(null);
  const [open, setOpen] = useState(false);
  const [stolen, setStolen] = useState(false); // the dialog for an ended session has the focus
  const [federated, setFederated] = useState(false);
  const [password, setPassword] = useState("");
  const [problem, setProblem] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);

  const run: Run = useCallback(async (task) => {
    try {
      return await task();
    } catch (error) {
      if (!isProblem(error, "reauthentication_required")) throw error;
    }
    const me = await ask(api.GET("/api/auth/me"));
    setFederated(me.auth_source === "oidc");
    setPassword("");
    setProblem(null);
    setStolen(false);
    setOpen(true);
    await new Promise<void>((resolve, reject) => {
      waiting.current = { resolve, reject };
    });
    return task();
  }, []);

  const close = useCallback(() => {
    setOpen(false);
    waiting.current?.reject(new Cancelled("not confirmed"));
    waiting.current = null;
  }, []);
  useEffect(
    () =>
      session.subscribe(() => {
        // A session that is over has nobody to confirm; what waits must not go on by the next one.
        if (session.snapshot().kind === "in" || !waiting.current) return;
        setStolen(true);
        setPassword("");
        close();
      }),
    [close],
  );
  const confirm = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await ask(api.POST("/api/auth/reauthenticate", { body: { password } }));
      setOpen(false);
      waiting.current?.resolve();
      waiting.current = null;
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
      setPassword("");
    }
  };
  const away = () => {
    const back = encodeURIComponent(location.pathname + location.search);
    location.assign(`/api/auth/oidc/start?reauthenticate=true&return_to=${back}`);
  };

  return (
    <Recent value={run}>
      {children}
      <Modal
        opened={open}
        onClose={close}
        title={t.login.recent.title}
        returnFocus={!stolen}
        // The question lies over the dialog whose action led to it.
        zIndex={400}
        closeButtonProps={{ "aria-label": t.common.actions.close }}
      >
        <form
          onSubmit={(e) => {
            e.preventDefault();
            void confirm();
          }}
        >
          <Stack>
            <Text size="sm">{t.login.recent.why}</Text>
            {problem ? <ProblemAlert error={problem} /> : null}
            {federated ? (
              <Alert>
                <Button onClick={away}>{t.login.recent.sso}</Button>
              </Alert>
            ) : (
              <>
                <PasswordInput
                  data-autofocus
                  label={t.login.password}
                  autoComplete="current-password"
                  value={password}
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
