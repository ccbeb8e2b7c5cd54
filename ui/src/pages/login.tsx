import { Alert, Button, Card, Center, Stack, Text, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Insecure } from "../parts/insecure";
import { Brand } from "../parts/logo";
import { ProblemAlert, tell } from "../parts/problem";
import { SignInForm } from "../session/form";
import { useSessionState } from "../session/hooks";
import { session } from "../session/session";
import { doneHere, roundTo } from "../session/window";
import { useText } from "../text";

/** Login signs in as configured: password, single sign-on, or both. */
export function Login() {
  return <SignIn local={false} />;
}

/** AdminLogin is always local: the way in when the provider is away. */
export function AdminLogin() {
  return <SignIn local />;
}

/** safe takes a path of these pages, and nothing that leads elsewhere. */
function safe(path: unknown): string {
  if (typeof path !== "string" || !path.startsWith("/") || path.startsWith("//") || path.includes("\\")) return "/";
  if (path.startsWith("/login") || path.startsWith("/admin-login") || path.startsWith("/api/")) return "/";
  return path;
}

function SignIn({ local }: { local: boolean }) {
  const t = useText();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const state = useSessionState();
  const search = useSearch({ strict: false }) as { return_to?: unknown };
  // Single sign-on comes back with a one-time code in the fragment, which no
  // server sees. It leaves the address before anything else happens.
  const [round] = useState(() => new URLSearchParams(location.hash.slice(1)));
  const [problem, setProblem] = useState<unknown>(null);
  const target = safe(round.get("return_to") ?? search.return_to);
  const code = round.get("code");
  // A window that another page waits for, to prove anew who one is: it stays until that is done.
  const again = round.get("reauthenticate") === "true";
  const [unproved, setUnproved] = useState(again && target === doneHere);
  const [busy, setBusy] = useState(round.has("code") || unproved);

  const inside = state.kind === "in" && !busy && !unproved;
  const proving = state.kind === "in" && !busy && unproved;
  const title = proving ? t.login.recent.title : local ? t.login.adminTitle : t.login.title;

  useEffect(() => {
    document.title = `${title} · ${t.common.product}`;
  }, [title, t]);
  useEffect(() => {
    if (location.hash) history.replaceState(history.state, "", location.pathname + location.search);
    const failed = (error: unknown) => {
      setProblem(error);
      // A session that is there leads on to the page; what failed is told there.
      if (session.snapshot().kind === "in" && target !== doneHere) tell(error);
    };
    const ready = () => setBusy(false);
    if (code) {
      finish(code, again)
        .then(() => setUnproved(false), failed)
        .finally(ready);
    } else if (again && target === doneHere) {
      session.restore().catch(failed).finally(ready);
    }
  }, [code, again, target]);

  useEffect(() => {
    if (!inside) return;
    queries.clear(); // nothing of whoever was here before
    void navigate({ to: target, replace: true });
  }, [inside, target, navigate, queries]);
  const done = () => {
    setBusy(false);
    setUnproved(false);
  };
  return (
    <Center component="main" mih="100vh" p="md">
      <Card w="100%" maw={400} p="xl">
        <Stack>
          <Brand />
          <Title order={1}>{title}</Title>
          <Insecure />
          {problem ? <ProblemAlert error={problem} /> : null}
          {round.has("error") ? (
            <Alert color="red" role="alert">
              <Text size="sm">
                {round.get("error") === "recovery_required" ? t.login.errors.recovery : t.login.errors.sso}
              </Text>
              <Text size="xs" c="dimmed">
                <span className="mono">{round.get("error")}</span> · {t.common.problem.requestId}{" "}
                <span className="mono">{round.get("request_id")}</span>
              </Text>
            </Alert>
          ) : null}
          {proving ? (
            <Button component="a" href={roundTo(doneHere, true)}>
              {t.login.recent.sso}
            </Button>
          ) : (
            <SignInForm local={local} returnTo={target} onDone={done} />
          )}
        </Stack>
      </Card>
    </Center>
  );
}

const rounds = new Map<string, Promise<void>>(); // a code is used once, however often the page is rendered

function finish(code: string, again: boolean): Promise<void> {
  const begun = rounds.get(code) ?? (again ? prove(code) : session.exchange(code));
  rounds.set(code, begun);
  return begun;
}

async function prove(code: string): Promise<void> {
  await session.restore();
  await session.reauthenticate({ code });
}
