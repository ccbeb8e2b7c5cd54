import { Button, Group, Stack, Text } from "@mantine/core";
import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { type Attempt, useAttempt } from "../parts/attempt";
import { AttemptAlert, done } from "../parts/problem";
import { type FormOf, useForm, type Wrongs } from "../parts/useform";
import { useRecent } from "../session/recent";
import { useText } from "../text";
import classes from "./settingsform.module.css";

type Input<S, D> = {
  stored: S;
  /** The form's values of what is stored; the same function each time. */
  draftOf: (stored: S) => D;
  /** What the page itself finds wrong: it comes before what the server said last. */
  find?: (draft: D) => Wrongs;
  /** Something is still to be typed before it can be sent. */
  incomplete?: (draft: D) => boolean;
  put: (draft: D) => Promise<S>;
  queryKey: QueryKey;
  /** What else changes with them. */
  affects: QueryKey;
  onDirty: (dirty: boolean) => void;
};

type Settings<D> = {
  form: FormOf<D>;
  attempt: Attempt;
  dirty: boolean;
  /** It can't be sent as it is. */
  unfit: boolean;
  save: () => Promise<void>;
};

/** useSettingsForm is a form of settings: it follows what is stored until somebody changes something. */
export function useSettingsForm<S, D extends object>(input: Input<S, D>): Settings<D> {
  const { stored, draftOf, find, incomplete, put, queryKey, affects, onDirty } = input;
  const { saved } = useText().settings;
  const queries = useQueryClient();
  const recently = useRecent();
  const attempt = useAttempt();
  const form = useForm(attempt, draftOf(stored), find);
  const { values, setInitialValues, reset } = form;
  const dirty = form.isDirty();
  useEffect(() => onDirty(dirty), [dirty, onDirty]);
  useEffect(() => {
    setInitialValues(draftOf(stored));
    if (!dirty) reset();
  }, [stored, draftOf, dirty, setInitialValues, reset]);
  const unfit = incomplete?.(values) || Object.values(form.wrong).some((w) => w !== undefined);
  const save = async () => {
    if (!dirty || unfit) return;
    const answer = await recently(() => put(values));
    queries.setQueryData(queryKey, answer);
    setInitialValues(draftOf(answer));
    reset();
    done(saved);
    await queries.invalidateQueries({ queryKey: affects });
  };
  return { form, attempt, dirty, unfit, save };
}

type Props = {
  settings: Omit<Settings<never>, "form"> & { form: { reset: () => void } };
  intro?: string;
  /** What is done instead of saving. */
  onSubmit?: () => Promise<void>;
  /** A question lies over the form, and says itself what goes wrong. */
  asking?: boolean;
  children: ReactNode;
};

/** SettingsForm holds the fields. Its buttons stay in sight while there are changes that are not saved. */
export function SettingsForm({ settings, intro, onSubmit, asking = false, children }: Props) {
  const { form, attempt, dirty, unfit, save } = settings;
  const words = useText().settings;
  const discard = () => {
    form.reset();
    attempt.clear();
  };
  return (
    <form onSubmit={attempt.submit(onSubmit ?? save)} noValidate>
      <Stack gap="md">
        {intro ? (
          <Text size="sm" c="dimmed" maw={720}>
            {intro}
          </Text>
        ) : null}
        {asking ? null : <AttemptAlert attempt={attempt} />}
        {children}
        {dirty ? (
          <Group className={classes.bar} justify="space-between" gap="xs">
            <Text size="sm" fw={600} role="status">
              {words.unsaved}
            </Text>
            <Group gap="xs">
              <Button variant="default" onClick={discard} disabled={attempt.busy}>
                {words.discard}
              </Button>
              <Button type="submit" loading={attempt.busy} disabled={unfit}>
                {words.save}
              </Button>
            </Group>
          </Group>
        ) : null}
      </Stack>
    </form>
  );
}
