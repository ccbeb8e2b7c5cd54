import { Alert, Button, Card, Center, Loader, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { authConfigQuery } from "../admin/queries";
import { api, ask } from "../api/client";
import { isProblem } from "../api/problem";
import { useAttempt } from "../parts/attempt";
import { Insecure } from "../parts/insecure";
import { Brand } from "../parts/logo";
import { called } from "../parts/person";
import { AttemptAlert, ProblemAlert } from "../parts/problem";
import { newPassword } from "../session/change";
import { session } from "../session/session";
import { useText } from "../text";

/** Invitation lets whoever was invited set the first password of their account, and signs them in with it. */
export function Invitation() {
  const t = useText();
  const words = t.login.invitation;
  const navigate = useNavigate();
  // The token is in the fragment, which no server sees. It leaves the address at once.
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get("token") ?? "");
  const policy = useQuery(authConfigQuery).data?.password_policy;
  const [password, setPassword] = useState("");
  const [repeat, setRepeat] = useState("");
  const [done, setDone] = useState(false);
  const attempt = useAttempt();
  const { busy, field, needed, submit } = attempt;
  const queries = useQueryClient();
  const account = useQuery({
    queryKey: ["invitation", token],
    queryFn: () => ask(api.POST("/api/auth/invitation/account", { body: { token } })),
    enabled: token !== "" && !done,
    retry: false,
    refetchOnWindowFocus: false,
  });
  const whose = account.data;
  const spent = isProblem(account.error, "token_invalid", "token_expired", "account_disabled");
  const mismatch = repeat !== "" && repeat !== password;

  useEffect(() => {
    document.title = `${words.title} · ${t.common.product}`;
    if (location.hash) history.replaceState(history.state, "", location.pathname);
  }, [words, t]);
  const set = async () => {
    if (mismatch || !whose) return;
    await ask(api.POST("/api/auth/invitation", { body: { token, password } }));
    try {
      await session.login(whose.username, password);
    } catch {
      // Passwords may be off for sign-ins here: the page to sign in says what there is.
      setPassword("");
      setRepeat("");
      return setDone(true);
    }
    queries.clear(); // nothing of whoever was here before
    await navigate({ to: "/", replace: true });
  };
  return (
    <Center component="main" mih="100vh" p="md">
      <Card w="100%" maw={400} p="xl">
        <Stack>
          <Brand />
          <Title order={1}>{words.title}</Title>
          <Insecure />
          {done ? (
            <>
              <Alert color="green" role="status">
                {words.done}
              </Alert>
              <Button onClick={() => void navigate({ to: "/login" })}>{t.login.submit}</Button>
            </>
          ) : token === "" ? (
            <Alert color="red" role="alert">
              {words.none}
            </Alert>
          ) : account.isError ? (
            <ProblemAlert error={account.error} {...(spent ? {} : { onRetry: () => void account.refetch() })} />
          ) : !whose ? (
            <Loader aria-label={t.common.loading} />
          ) : (
            <form onSubmit={submit(set)} noValidate>
              <Stack>
                <Text size="sm">{words.why(called(whose))}</Text>
                <Text size="sm">
                  {words.username} <b>{whose.username}</b>
                  {whose.organization_name ? ` · ${whose.organization_name}` : ""}
                </Text>
                <AttemptAlert attempt={attempt} />
                <input
                  type="text"
                  autoComplete="username"
                  value={whose.username}
                  readOnly
                  hidden
                  aria-hidden="true"
                  tabIndex={-1}
                />
                <PasswordInput
                  autoFocus
                  label={words.next}
                  autoComplete="new-password"
                  value={password}
                  {...newPassword(needed(password, field("password")), policy)}
                  onChange={(e) => setPassword(e.currentTarget.value)}
                />
                <PasswordInput
                  label={words.repeat}
                  autoComplete="new-password"
                  value={repeat}
                  {...needed(repeat, mismatch ? t.login.change.mismatch : undefined)}
                  onChange={(e) => setRepeat(e.currentTarget.value)}
                />
                <Button type="submit" loading={busy} disabled={mismatch}>
                  {words.submit}
                </Button>
              </Stack>
            </form>
          )}
        </Stack>
      </Card>
    </Center>
  );
}
