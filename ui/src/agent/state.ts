import { useSyncExternalStore } from "react";
import type { AgentSchema } from "./client";

/** Connected is a token that is plugged in. */
export type Connected = AgentSchema<"Token">;

/** About is what a reachable agent says of itself. */
export type About = {
  version: string;
  hostname: string;
  /** Hex SHA-256 of its public key; the agent prints the same one. */
  fingerprint: string;
  /** What is plugged in now, live. */
  tokens: readonly Connected[];
};

/** AgentState is how this page stands with the agent of this computer. */
export type AgentState =
  | { kind: "checking" }
  /** The browser will ask for permission: explain, then call agentState.check({ prompt: true }). */
  | { kind: "prompt" }
  /** The person or an administrator said no to the browser's question. */
  | { kind: "denied" }
  /** Nothing answers. */
  | { kind: "missing" }
  /** It runs, but was started for another site. */
  | { kind: "foreign_origin" }
  | { kind: "too_old"; version: string; least: string }
  /** The session has no agent yet. */
  | ({ kind: "not_registered" } & About)
  /** The session has another agent's key. */
  | ({ kind: "other"; registered: string; registeredHostname: string } & About)
  | ({ kind: "ready" } & About);

/** Run carries out a task, and asks for the password where the server demands it: useRecent(). */
export type Run = <T>(task: () => Promise<T>) => Promise<T>;

class AgentStore {
  #state: AgentState = { kind: "checking" };
  readonly #listeners = new Set<() => void>();

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  snapshot = (): AgentState => this.#state;

  /** check looks again now. prompt: the browser may ask the person for permission. */
  async check(_options: { prompt?: boolean } = {}): Promise<void> {}

  /** register puts this agent's key on record for the session. run: useRecent()'s function. */
  async register(_run: Run): Promise<void> {}
}

/** agentState is the one state of the agent for the whole page. */
export const agentState = new AgentStore();

/** useAgent follows the agent of this computer; the page listens while any component does. */
export function useAgent(): AgentState {
  return useSyncExternalStore(agentState.subscribe, agentState.snapshot);
}
