import { Alert, Button, Divider, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { api, ask } from "../api/client";
import { isProblem } from "../api/problem";
import { useAttempt } from "../parts/attempt";
import { AttemptAlert, ProblemAlert } from "../parts/problem";
import { useText } from "../text";
import { ChangePassword } from "./change";
import { session } from "./session";
import { RoundWindow, roundTo } from "./window";

type Props = {
  /** Local only, whatever is configured: the way in for administrators. */
  local?: boolean;
  /** The person has no password here: single sign-on only, where there is one. */
  federated?: boolean;
  /** Where single sign-on comes back to; null: it has a window of its own, and this page stays. */
  returnTo: string | null;
  username?: string | undefined;
  onDone: () => void;
};

/** SignInForm signs in by password or single sign-on, as configured. */
export function SignInForm({ local = false, federated = false, returnTo, username: first = "", onDone }: Props) {
  const t = useText();
  const config = useQuery({
    queryKey: ["auth-config"],
    queryFn: () => ask(api.GET("/api/auth/config")),
    staleTime: 300_000,
  });
  const [username, setUsername] = useState(first);
  const [password, setPassword] = useState("");
  const attempt = useAttempt();
  const { busy, field, needed, submit } = attempt;
  const [mustChange, setMustChange] = useState(false);
  /** What is typed first. */
  const begin = useRef<HTMLInputElement>(null);

  const signIn = async () => {
    try {
      await session.login(username.trim(), password);
      onDone();
    } catch (error) {
      if (isProblem(error, "password_expired")) return setMustChange(true);
      setPassword("");
      throw error;
    }
  };

  const oidc = !local && config.data?.oidc.enabled ? config.data.oidc : null;
  const passwords = local || (config.data ? config.data.local_login && !(federated && oidc) : !federated);
  useEffect(() => {
    if (passwords) begin.current?.focus({ preventScroll: true });
  }, [passwords]);

  if (config.isError) return <ProblemAlert error={config.error} onRetry={() => void config.refetch()} />;
  if (mustChange) {
    return (
      <ChangePassword
        username={username.trim()}
        current={password}
        policy={config.data?.password_policy}
        onDone={onDone}
      />
    );
  }
  const variant = passwords ? "default" : "filled";
  return (
    <Stack>
      <AttemptAlert attempt={attempt} />
      {oidc ? (
        <>
          {returnTo === null ? (
            <RoundWindow label={t.login.sso(oidc.name)} variant={variant} />
          ) : (
            <Button component="a" href={roundTo(returnTo)} variant={variant}>
              {t.login.sso(oidc.name)}
            </Button>
          )}
          {passwords ? <Divider label={t.login.or} /> : null}
        </>
      ) : null}
      {passwords ? (
        <form onSubmit={submit(signIn)} noValidate>
          <Stack>
            <TextInput
              ref={first ? undefined : begin}
              label={t.login.username}
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              data-autofocus={first ? undefined : true}
              value={username}
              {...needed(username, field("username"))}
              onChange={(e) => setUsername(e.currentTarget.value)}
            />
            <PasswordInput
              ref={first ? begin : undefined}
              label={t.login.password}
              autoComplete="current-password"
              data-autofocus={first ? true : undefined}
              value={password}
              {...needed(password, field("password"))}
              onChange={(e) => setPassword(e.currentTarget.value)}
            />
            <Button type="submit" loading={busy}>
              {t.login.submit}
            </Button>
          </Stack>
        </form>
      ) : null}
      {config.data && !passwords && !oidc ? (
        <Alert>
          <Text size="sm">{t.login.localOff}</Text>
        </Alert>
      ) : null}
    </Stack>
  );
}
