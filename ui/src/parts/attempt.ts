import { type FormEvent, type ReactNode, useState, useSyncExternalStore } from "react";
import { isProblem } from "../api/problem";
import { Cancelled } from "../session/line";
import { useText } from "../text";
import { useWrong } from "./wrong";

type State = { busy: boolean; problem: unknown /** It was sent while something was missing. */; unfilled: boolean };

type Field = HTMLInputElement | HTMLTextAreaElement;
const blank = (value: unknown) => value === undefined || (typeof value === "string" && value.trim() === "");

/** Attempts carries out one task at a time, and keeps whether it goes on and what went wrong. */
export class Attempts {
  #state: State = { busy: false, problem: null, unfilled: false };
  #watchers = new Set<() => void>();

  snapshot = (): State => this.#state;

  subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /** run carries out a task. It does nothing while another one goes on, and never throws. */
  run = async (task: () => Promise<unknown>): Promise<void> => {
    if (this.#state.busy) return;
    this.#set({ busy: true, problem: null, unfilled: false });
    try {
      await task();
      this.#set({ busy: false, problem: null, unfilled: false });
    } catch (error) {
      // Who did not want to confirm who they are knows why nothing happened.
      this.#set({ busy: false, problem: error instanceof Cancelled ? null : error, unfilled: false });
    }
  };

  /** clear forgets what went wrong. */
  clear = (): void => {
    if (this.#state.problem !== null || this.#state.unfilled)
      this.#set({ ...this.#state, problem: null, unfilled: false });
  };

  /**
   * submit is what a form does with its event: the task, by run, once nothing that it needs is missing. The first field
   * that is missing or wrong gets the focus.
   */
  submit = (task: () => Promise<unknown>) => (event: FormEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    const missing = [...form.querySelectorAll<Field>("input[required], textarea[required]")].find((f) =>
      blank(f.value),
    );
    if (missing) {
      this.#set({ ...this.#state, unfilled: true });
      missing.focus();
      return;
    }
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
  const { busy, problem, unfilled } = useSyncExternalStore(subscribe, snapshot);
  const words = useText().common.problem;
  /** needed is what a field is given that must not stay empty; error: what else is wrong with it. */
  const needed = (value: unknown, error?: ReactNode) => ({
    required: true,
    error: unfilled && blank(value) ? words.missing : error,
  });
  return { busy, problem, ...useWrong(problem), needed, run, submit, clear };
}
