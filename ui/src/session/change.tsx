import { Alert, Button, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { api, ask, type Schema } from "../api/client";
import { useAttempt } from "../parts/attempt";
import { AttemptAlert } from "../parts/problem";
import { useText } from "../text";
import { session } from "./session";

type Policy = NonNullable<Schema<"AuthConfig">["password_policy"]>;
type Props = {
  username: string;
  /** The password that was just typed, when a sign-in led here. */
  current?: string;
  policy: Policy | undefined;
  onDone: () => void;
};

/** ChangePassword sets a new password, which ends every session, and signs in with it. */
export function ChangePassword({ username, current: typed = "", policy, onDone }: Props) {
  const t = useText();
  const words = t.login.change;
  const [current, setCurrent] = useState(typed);
  const [next, setNext] = useState("");
  const [repeat, setRepeat] = useState("");
  const attempt = useAttempt();
  const { busy, field, needed, submit } = attempt;
  // The server has the new password: only the sign-in is left. Another change
  // would send the old one, which counts as a wrong password by now.
  const [accepted, setAccepted] = useState(false);
  const again = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (accepted) again.current?.focus(); // the fields that had it are gone
  }, [accepted]);
  const mismatch = repeat !== "" && repeat !== next;

  const signIn = async () => {
    await session.login(username, next);
    onDone();
  };
  const change = async () => {
    if (mismatch) return;
    const body = { username, current_password: current, new_password: next };
    await ask(api.POST("/api/auth/password", { body }));
    try {
      await signIn();
    } catch (error) {
      setAccepted(true);
      throw error;
    }
  };

  if (accepted) {
    return (
      <Stack>
        <Alert color="green" role="status">
          {words.accepted}
        </Alert>
        <AttemptAlert attempt={attempt} />
        <Button ref={again} loading={busy} onClick={submit(signIn)}>
          {t.login.submit}
        </Button>
      </Stack>
    );
  }
  return (
    <form onSubmit={submit(change)} noValidate>
      <Stack>
        {typed ? (
          <div>
            <Title order={2}>{words.title}</Title>
            <Text size="sm" c="dimmed">
              {words.why}
            </Text>
          </div>
        ) : (
          <PasswordInput
            label={words.current}
            autoComplete="current-password"
            data-autofocus
            value={current}
            {...needed(current, field("current_password"))}
            onChange={(e) => setCurrent(e.currentTarget.value)}
          />
        )}
        <AttemptAlert attempt={attempt} />
        <input type="text" autoComplete="username" value={username} readOnly hidden aria-hidden="true" tabIndex={-1} />
        <PasswordInput
          label={words.next}
          autoComplete="new-password"
          data-autofocus={typed ? true : undefined}
          value={next}
          {...newPassword(needed(next, field("new_password")), policy)}
          onChange={(e) => setNext(e.currentTarget.value)}
        />
        <PasswordInput
          label={words.repeat}
          autoComplete="new-password"
          value={repeat}
          {...needed(repeat, mismatch ? words.mismatch : undefined)}
          onChange={(e) => setRepeat(e.currentTarget.value)}
        />
        <Button type="submit" loading={busy} disabled={mismatch}>
          {words.submit}
        </Button>
      </Stack>
    </form>
  );
}

/** newPassword is what a field for one is given: what is wrong with it, and the rules, which describe it. */
export function newPassword(input: { required: boolean; error: ReactNode }, policy: Policy | undefined) {
  return {
    ...input,
    "aria-invalid": input.error ? true : undefined,
    description: policy ? <PasswordRules policy={policy} /> : undefined,
  };
}

/** PasswordRules lists what the policy asks of a password, within a paragraph. */
function PasswordRules({ policy }: { policy: Policy }) {
  const words = useText().login.change;
  const rules = [
    words.length(policy.min_length, policy.max_length),
    policy.require_uppercase && words.uppercase,
    policy.require_lowercase && words.lowercase,
    policy.require_digit && words.digit,
    policy.require_symbol && words.symbol,
    policy.reject_common && words.common,
    words.own,
  ].filter((rule): rule is string => typeof rule === "string");
  return rules.map((rule) => (
    <span key={rule} style={{ display: "list-item", marginInlineStart: 20 }}>
      {rule}
    </span>
  ));
}
