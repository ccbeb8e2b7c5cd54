import { type FormEvent, useState, useSyncExternalStore } from "react";
import { isProblem } from "../api/problem";
import { Cancelled } from "../session/line";
import { useWrong } from "./wrong";

type State = { busy: boolean; problem: unknown };

/** Attempts carries out one task at a time, and keeps whether it goes on and what went wrong. */
export class Attempts {
  #state: State = { busy: false, problem: null };
  #watchers = new Set<() => void>();

  snapshot = (): State => this.#state;

  subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /** run carries out a task. It does nothing while another one goes on, and never throws. */
  run = async (task: () => Promise<unknown>): Promise<void> => {
    if (this.#state.busy) return;
    this.#set({ busy: true, problem: null });
    try {
      await task();
      this.#set({ busy: false, problem: null });
    } catch (error) {
      // Who did not want to confirm who they are knows why nothing happened.
      this.#set({ busy: false, problem: error instanceof Cancelled ? null : error });
    }
  };

  /** clear forgets what went wrong. */
  clear = (): void => {
    if (this.#state.problem !== null) this.#set({ ...this.#state, problem: null });
  };

  /** submit is what a form does with its event: the task, by run. The first field that is wrong gets the focus. */
  submit = (task: () => Promise<unknown>) => (event: FormEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    void this.run(task).then(() => {
      const { problem } = this.#state;
      if (!isProblem(problem) || problem.fields.length === 0) return;
      form.querySelector<HTMLElement>(":is(input, textarea):is([aria-invalid=true], [data-invalid])")?.focus();
    });
  };

  #set(state: State) {
    this.#state = state;
    for (const watcher of this.#watchers) watcher();
  }
}

/** Attempt is how the task of a form or a button stands, and how it is begun. */
export type Attempt = ReturnType<typeof useAttempt>;

/** useAttempt gives a form or a button its task: whether it goes on, and what went wrong (null: nothing). */
export function useAttempt() {
  const [{ run, submit, clear, subscribe, snapshot }] = useState(() => new Attempts());
  const { busy, problem } = useSyncExternalStore(subscribe, snapshot);
  return { busy, problem, ...useWrong(problem), run, submit, clear };
}
