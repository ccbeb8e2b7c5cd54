import { Alert, Button, Card, Center, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { authConfigQuery } from "../admin/queries";
import { api, ask } from "../api/client";
import { useAttempt } from "../parts/attempt";
import { Insecure } from "../parts/insecure";
import { Brand } from "../parts/logo";
import { AttemptAlert } from "../parts/problem";
import { newPassword } from "../session/change";
import { useText } from "../text";

/** Invitation lets whoever was invited set the first password of their account. */
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
  const { busy, field, submit } = attempt;
  const mismatch = repeat !== "" && repeat !== password;

  useEffect(() => {
    document.title = `${words.title} · ${t.common.product}`;
    if (location.hash) history.replaceState(history.state, "", location.pathname);
  }, [words, t]);
  const set = async () => {
    if (mismatch) return;
    await ask(api.POST("/api/auth/invitation", { body: { token, password } }));
    setPassword("");
    setRepeat("");
    setDone(true);
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
          ) : (
            <form onSubmit={submit(set)}>
              <Stack>
                <Text size="sm">{words.why}</Text>
                <AttemptAlert attempt={attempt} />
                <PasswordInput
                  data-autofocus
                  label={words.next}
                  autoComplete="new-password"
                  required
                  withAsterisk={false}
                  value={password}
                  {...newPassword(field("password"), policy)}
                  onChange={(e) => setPassword(e.currentTarget.value)}
                />
                <PasswordInput
                  label={words.repeat}
                  autoComplete="new-password"
                  required
                  withAsterisk={false}
                  value={repeat}
                  error={mismatch ? t.login.change.mismatch : undefined}
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
