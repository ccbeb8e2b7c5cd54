import { Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type ReactNode, useSyncExternalStore } from "react";
import { session } from "../session/session";
import { texts, useText } from "../text";
import { done, tell } from "./problem";

type Work<P> = {
  /** What is saved, in words. */
  title: string;
  begin: P;
  /** make saves it, says how far it is, and ends with what is said of it; null: that is said already. */
  make: (signal: AbortSignal, told: (progress: P) => void) => Promise<string | null>;
};

/**
 * Saving is the one file of its kind that is being made, and how far it is (P). It lives outside of the page, so that
 * one may go on working elsewhere.
 */
export class Saving<P> {
  readonly #id: string;
  readonly #shown: (props: { progress: P }) => ReactNode;
  readonly #listeners = new Set<() => void>();
  #running = false;
  #progress: P | undefined;
  #shownAt = 0;

  /** shown draws how far it is. */
  constructor(id: string, shown: (props: { progress: P }) => ReactNode) {
    this.#id = id;
    this.#shown = shown;
  }

  running = (): boolean => this.#running;

  progress = (): P | undefined => this.#progress;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #publish(): void {
    for (const listener of this.#listeners) listener();
  }

  #told(progress: P): void {
    this.#progress = progress;
    // Parts come faster than anybody reads.
    if (Date.now() - this.#shownAt < 200) return;
    this.#shownAt = Date.now();
    this.#publish();
  }

  /** run makes a file, unless one is being made. */
  async run({ title, begin, make }: Work<P>): Promise<void> {
    if (this.#running) return;
    const controller = new AbortController();
    this.#running = true;
    this.#progress = begin;
    this.#publish();
    // Who signs out takes nothing more along.
    const leave = session.subscribe(() => {
      if (session.snapshot().kind === "out") controller.abort();
    });
    notifications.show({
      id: this.#id,
      loading: true,
      autoClose: false,
      withCloseButton: false,
      title,
      message: <Running saving={this} shown={this.#shown} onCancel={() => controller.abort()} />,
    });
    try {
      const said = await make(controller.signal, (progress) => this.#told(progress));
      if (said !== null) done(said);
    } catch (error) {
      if (controller.signal.aborted) done(texts().common.exports.cancelled);
      else tell(error);
    } finally {
      leave();
      notifications.hide(this.#id);
      this.#running = false;
      this.#publish();
    }
  }
}

/** useSaves tells whether such a file is being made. */
export function useSaves<P>(saving: Saving<P>): boolean {
  return useSyncExternalStore(saving.subscribe, saving.running);
}

type RunningProps<P> = {
  saving: Saving<P>;
  shown: (props: { progress: P }) => ReactNode;
  onCancel: () => void;
};

/** Running shows how far it is. A screen reader hears of its begin and its end only. */
function Running<P>({ saving, shown: Shown, onCancel }: RunningProps<P>) {
  const t = useText();
  const progress = useSyncExternalStore(saving.subscribe, saving.progress);
  return (
    <Stack gap="xs" mt={4}>
      <Text component="div" size="sm" className="numbers" aria-live="off">
        {progress === undefined ? null : <Shown progress={progress} />}
      </Text>
      <Group>
        <Button size="xs" variant="default" onClick={onCancel}>
          {t.common.actions.cancel}
        </Button>
      </Group>
    </Stack>
  );
}
