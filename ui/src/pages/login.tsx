import { Alert, Card, Center, Group, Stack, Text, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { problemOf } from "../api/problem";
import { ProblemAlert, tell } from "../parts/problem";
import { SignInForm } from "../session/form";
import { useSessionState } from "../session/hooks";
import { session } from "../session/session";
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
export function safe(path: unknown): string {
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
  const [busy, setBusy] = useState(round.has("code"));
  const target = safe(round.get("return_to") ?? search.return_to);
  const code = round.get("code");

  useEffect(() => {
    document.title = `${local ? t.login.adminTitle : t.login.title} · ${t.common.product}`;
  }, [local, t]);
  useEffect(() => {
    if (location.hash) history.replaceState(history.state, "", location.pathname + location.search);
    if (code) {
      finish(code, round.get("reauthenticate") === "true")
        .catch((error) => {
          setProblem(error);
          // A session that is there leads on to the page; what failed is told there.
          if (session.snapshot().kind === "in") tell(error);
        })
        .finally(() => setBusy(false));
    }
  }, [code, round]);

  const inside = state.kind === "in" && !busy;
  useEffect(() => {
    if (!inside) return;
    queries.clear(); // nothing of whoever was here before
    void navigate({ to: target, replace: true });
  }, [inside, target, navigate, queries]);
  const done = () => setBusy(false);
  return (
    <Center component="main" mih="100vh" p="md">
      <Card w="100%" maw={400} p="xl">
        <Stack>
          <Group gap="xs">
            <img src="/favicon.svg" width={28} height={28} alt="" />
            <Title order={1}>{local ? t.login.adminTitle : t.login.title}</Title>
          </Group>
          {problem ? <ProblemAlert error={problem} /> : null}
          {round.has("error") ? (
            <Alert color="red" role="alert">
              <Text size="sm">{t.login.errors.sso}</Text>
              <Text size="xs" c="dimmed">
                <span className="mono">{round.get("error")}</span> · {t.common.problem.requestId}{" "}
                <span className="mono">{round.get("request_id")}</span>
              </Text>
            </Alert>
          ) : null}
          <SignInForm local={local} returnTo={target} onDone={done} />
        </Stack>
      </Card>
    </Center>
  );
}

let taken = ""; // a code is used once, however often the page is rendered

async function finish(code: string, again: boolean): Promise<void> {
  if (taken === code) return;
  taken = code;
  if (!again) return session.exchange(code);
  await session.restore();
  const response = await session.fetch(
    new Request("/api/auth/reauthenticate", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ code }),
    }),
  );
  if (!response.ok) {
    throw await problemOf(response);
  }
}
