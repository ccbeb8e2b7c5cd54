import { Alert, Button, Group, List, Progress, Stack, Text } from "@mantine/core";
import { IconShieldCheck, IconShieldX, IconX } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { createContext, useEffect, useRef, useState } from "react";
import { ProblemAlert } from "../../parts/problem";
import { Warning } from "../../parts/warning";
import { When } from "../../parts/when";
import { useLanguage, useText } from "../../text";
import { type Seal, sealKey } from "./freshness";
import { Broken, type Line, type Result, type Verified, verify } from "./verifying";

type State =
  | { at: "rest" }
  | { at: "running"; line: Line | null }
  | { at: "done"; result: Result; ended: string }
  | { at: "failed"; error: unknown };

/** useVerification verifies the whole log at somebody's wish, as long as the page is open. */
export function useVerification() {
  const queries = useQueryClient();
  const [state, setState] = useState<State>({ at: "rest" });
  const [last, setLast] = useState<Verified | null>(null);
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  const start = async () => {
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    setState({ at: "running", line: null });
    const upTo = queries.getQueryData<Seal>(sealKey)?.last_sealed_id ?? 0;
    try {
      const result = await verify(signal, (line) => setState({ at: "running", line }));
      const ended = new Date().toISOString();
      setState({ at: "done", result, ended });
      setLast({ result, ended, upTo });
    } catch (error) {
      setState(signal.aborted ? { at: "rest" } : { at: "failed", error });
    }
  };
  return {
    state,
    last,
    start: () => void start(),
    stop: () => running.current?.abort(),
    forget: () => setState({ at: "rest" }),
  };
}

export type Verification = ReturnType<typeof useVerification>;

/** Verifying is the verification of the page, for what shows entries on it. */
export const Verifying = createContext<Verification | null>(null);

/** VerificationState shows how far a verification is, and then what it found. */
export function VerificationState({ of }: { of: Verification }) {
  const t = useText();
  const words = t.audit.verify;
  const number = new Intl.NumberFormat(useLanguage());
  const { state } = of;
  switch (state.at) {
    case "rest":
      return null;
    case "running": {
      const { checked, of: all } = state.line ?? { checked: 0, of: 0 };
      const share = all > 0 ? Math.min(100, (checked / all) * 100) : 0;
      // What the vault has logged is compared last.
      const rest = all > 0 && checked >= all;
      return (
        <Stack gap={6} pt="sm">
          <Group justify="space-between" gap="xs">
            <Text size="sm" role="status" className="numbers">
              {rest ? words.vault : all > 0 ? words.running(number.format(checked), number.format(all)) : words.begins}
            </Text>
            <Button size="compact-sm" variant="subtle" color="gray" onClick={of.stop}>
              {t.common.actions.cancel}
            </Button>
          </Group>
          <Progress value={rest || all === 0 ? 100 : share} animated={rest || all === 0} aria-label={words.progress} />
        </Stack>
      );
    }
    case "failed":
      return (
        <Stack pt="sm">
          {state.error instanceof Broken ? (
            <Warning>{words.broken}</Warning>
          ) : (
            <ProblemAlert error={state.error} onRetry={of.start} />
          )}
        </Stack>
      );
    case "done": {
      const { result, ended } = state;
      return (
        <Alert
          role="status"
          mt="sm"
          variant="light"
          color={result.ok ? "accent" : "red"}
          icon={result.ok ? <IconShieldCheck aria-hidden /> : <IconShieldX aria-hidden />}
          title={
            <>
              {result.ok ? words.good : words.bad} · <When at={ended} />
            </>
          }
          withCloseButton
          closeButtonLabel={t.common.actions.close}
          onClose={of.forget}
        >
          <Text size="sm" className="numbers">
            {words.counted(
              number.format(result.entries),
              number.format(result.releases),
              number.format(result.certificates),
            )}{" "}
            {result.unsealed > 0 ? words.unsealed(result.unsealed, number.format(result.unsealed)) : null}
          </Text>
          {result.ok ? null : (
            <List size="sm" mt="xs">
              {result.findings.map(({ entry, detail }) => (
                <List.Item key={detail} icon={<IconX size={14} aria-hidden />}>
                  {entry ? <strong>{words.entry(number.format(entry))} </strong> : null}
                  <span lang="en" style={{ overflowWrap: "anywhere" }}>
                    {detail}
                  </span>
                </List.Item>
              ))}
            </List>
          )}
          {result.ok ? null : (
            <Text size="sm" mt="xs">
              {words.todo}
            </Text>
          )}
        </Alert>
      );
    }
  }
}
