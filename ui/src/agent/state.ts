import { useSyncExternalStore } from "react";
import { isProblem, Unreachable } from "../api/problem";
import { session } from "../session/session";
import { agentAddress } from "./address";
import { agent } from "./client";
import { type Found, look, realPorts, type Sight } from "./look";
import { pause } from "./pause";
import { onPermission } from "./permission";
import { after, type Connected, merged, type ReaderEvent, readerEvent } from "./plugged";
import { askedCode, onRegistered, registerAgent, sessionId } from "./registration";

export type { Connected } from "./plugged";

/** About is what a reachable agent says of itself. */
type About = Found & {
  /** What is plugged in now, live. */
  tokens: readonly Connected[];
  /** Readers whose token another program keeps to itself. */
  inUse: readonly string[];
  /** True until the tokens were read for the first time. */
  reading: boolean;
  /** Why the tokens cannot be read, such as tool_missing, or why the last look failed; null when all is well. */
  problem: unknown;
};

/** AgentState is how this page stands with the agent of this computer. */
export type AgentState =
  | { kind: "checking" }
  /** It could not be found out: the server or the agent answered with an error. It is tried again by itself. */
  | { kind: "failed"; error: unknown }
  /** The browser will ask for permission: explain, then call agentState.check({ prompt: true }). */
  | { kind: "prompt" }
  /** The person or an administrator said no to the browser's question; insecure: the page came by plain http. */
  | { kind: "denied"; insecure: boolean }
  /** Nothing answers. */
  | { kind: "missing" }
  /** It runs, but was started for another site. */
  | { kind: "foreign_origin" }
  | { kind: "too_old"; version: string; least: string }
  /** The session has no agent yet, and the server wants to know who asks: call agentState.register. */
  | ({ kind: "not_registered" } & About)
  /** The person has not used this agent before: its code is to be compared, then call agentState.register. */
  | ({ kind: "unconfirmed"; code: string } & About)
  | ({ kind: "ready" } & About);

/** Run carries out a task, and asks for the password where the server demands it: useRecent(). */
type Run = <T>(task: () => Promise<T>) => Promise<T>;

type Read = { list: Connected[]; inUse: string[]; reading: boolean; problem: unknown };

const unread: Read = { list: [], inUse: [], reading: true, problem: null };

const often = 5_000; // ms; nothing is asked more often by itself
const seldom = 15_000;
const patient = 12; // looks before they become seldom
const linger = 10_000; // ms that the page listens on after it was hidden or nobody looks

class AgentStore {
  #state: AgentState = { kind: "checking" };
  #tokens: Read = unread;
  #sight: Sight | null = null;
  #session = 0;
  /** The session is another one than what was seen belongs to. */
  #anew = false;
  readonly #listeners = new Set<() => void>();
  #watching: (() => void) | null = null;
  #stream: EventSource | null = null;
  #looking: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #relist: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  /** Why the last look failed, how many did in a row, and when the next one is due by itself. */
  #failed: { error: unknown; times: number; until: number } | null = null;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    this.#wake();
    return () => {
      this.#listeners.delete(listener);
      if (!this.#listeners.size) this.#sleepSoon();
    };
  };

  snapshot = (): AgentState => this.#state;

  /** check looks again now. prompt: the browser may ask the person for permission. */
  async check(options: { prompt?: boolean } = {}): Promise<void> {
    this.#looking?.abort();
    const looking = new AbortController();
    this.#looking = looking;
    clearTimeout(this.#timer);
    const before = this.#session;
    this.#session = sessionId();
    // Another session may have another agent: what was seen in the last one says nothing.
    if (this.#session !== before) this.#anew = true;
    if (!this.#session) return; // the session's own listener comes back
    try {
      const sight = await look(realPorts, options.prompt ?? false, looking.signal);
      if (looking.signal.aborted) return;
      this.#saw(sight);
    } catch (error) {
      if (looking.signal.aborted) return;
      this.#lost(error);
    }
    this.#later();
  }

  /**
   * register puts this agent's key on record for the session, and tells whether
   * it was taken: the server may now ask for its code. run: useRecent()'s
   * function. The code that was shown counts as compared.
   */
  async register(run: Run): Promise<boolean> {
    const sight = this.#sight;
    if (sight?.kind !== "not_registered" && sight?.kind !== "unconfirmed") return false;
    const confirmedCode = sight.kind === "unconfirmed" ? sight.code : undefined;
    try {
      await run(() => registerAgent(sight.key, sight.found.hostname, { confirmedCode }));
    } catch (error) {
      if (!askedCode(error)) throw error;
    }
    await this.check();
    return this.#state.kind === "ready";
  }

  #wake(): void {
    clearTimeout(this.#idle);
    if (this.#watching) return;
    const stop = new AbortController();
    const shown = () => {
      if (document.visibilityState === "hidden") return this.#sleepSoon();
      clearTimeout(this.#idle);
      if (!this.#stream) this.#resume();
    };
    document.addEventListener("visibilitychange", shown, { signal: stop.signal });
    const again = () => void this.check();
    const stops = [
      onPermission(again),
      onRegistered(again),
      // After its hour a session begins anew, and has no agent.
      session.subscribe(() => {
        if (sessionId() !== this.#session) again();
      }),
      () => stop.abort(),
    ];
    this.#watching = () => {
      for (const s of stops) s();
    };
    this.#resume();
  }

  /** #resume goes on when somebody looks again; after a failed look no sooner than it was to be tried again. */
  #resume(): void {
    if (this.#state.kind === "failed" && sessionId() === this.#session) this.#later();
    else void this.check();
  }

  /** #sleepSoon ends the stream of a page that nobody looks at: browsers allow few connections to one address. */
  #sleepSoon(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      this.#hangUp();
      clearTimeout(this.#timer);
      if (this.#listeners.size) return; // hidden: it goes on when shown again
      this.#looking?.abort();
      this.#watching?.();
      this.#watching = null;
    }, linger);
  }

  #saw(sight: Sight): void {
    const before = this.#sight;
    this.#sight = sight;
    this.#failed = null;
    this.#anew = false;
    if (!("found" in sight)) {
      this.#failures++;
      this.#hangUp();
      this.#tokens = unread;
    } else {
      this.#failures = 0;
      const same = before && "found" in before && before.found.fingerprint === sight.found.fingerprint;
      if (!same) {
        this.#hangUp();
        this.#tokens = unread;
      }
      if (!this.#stream) this.#listen();
    }
    this.#show();
  }

  /**
   * #lost keeps why a look failed. An agent that is ready and listened to stays,
   * since a flow may be at work with it; the error stands beside it.
   */
  #lost(error: unknown): void {
    const times = (this.#failed?.times ?? 0) + 1;
    this.#failed = { error, times, until: Date.now() + pause(error, times) };
    if (this.#sight?.kind !== "ready" || !this.#stream || this.#anew) {
      this.#sight = null;
      this.#hangUp();
      this.#tokens = unread;
    }
    this.#show();
  }

  /** #show makes the state from what was seen, and tells it when it changed. */
  #show(): void {
    const sight = this.#sight;
    let next: AgentState;
    if (!sight) {
      if (!this.#failed) return;
      next = { kind: "failed", error: this.#failed.error };
    } else if ("found" in sight) {
      const { found, key: _, ...rest } = sight;
      const { list, inUse, reading, problem } = this.#tokens;
      next = { ...rest, ...found, tokens: list, inUse, reading, problem: problem ?? this.#failed?.error ?? null };
    } else {
      next = sight;
    }
    if (JSON.stringify(next) === JSON.stringify(this.#state)) return;
    this.#state = next;
    for (const listener of this.#listeners) listener();
  }

  /** #later looks again by itself while there is no agent to listen to, or the last look failed. */
  #later(): void {
    clearTimeout(this.#timer);
    const done = this.#stream || this.#sight?.kind === "prompt";
    if ((done && !this.#failed) || document.visibilityState === "hidden") return;
    const usual = this.#failures < patient ? often : seldom;
    const wait = this.#failed ? Math.max(0, this.#failed.until - Date.now()) : usual;
    this.#timer = setTimeout(() => void this.check(), wait);
  }

  #listen(): void {
    const stream = new EventSource(`${agentAddress()}/events`);
    this.#stream = stream;
    let stood = false;
    for (const kind of ["inserted", "removed"] as const) {
      stream.addEventListener(kind, (e: MessageEvent<unknown>) => {
        const event = readerEvent(kind, e.data);
        if (event) this.#happened(event);
      });
    }
    // What happened before the stream stood is in the list.
    stream.addEventListener("open", () => {
      stood = true;
      void this.#list(true);
    });
    stream.addEventListener("error", () => {
      if (this.#stream !== stream) return;
      this.#hangUp();
      // The agent ended, or was started anew with another key.
      if (stood) void this.check();
      else this.#later();
    });
  }

  #hangUp(): void {
    this.#stream?.close();
    this.#stream = null;
    clearTimeout(this.#relist);
  }

  #happened(event: ReaderEvent): void {
    this.#tokens = { ...this.#tokens, list: after(this.#tokens.list, event) };
    this.#show();
    if (event.kind === "inserted" || event.serial === null) void this.#list(false);
  }

  /** #list asks what is plugged in. A token that does not answer yet is asked for again. */
  async #list(anew: boolean): Promise<void> {
    clearTimeout(this.#relist);
    const stream = this.#stream;
    let problem: unknown = null;
    try {
      const { tokens, in_use } = await agent.discover();
      if (this.#stream !== stream) return;
      const inUse = (in_use ?? []).map((r) => r.reader);
      this.#tokens = { list: merged(anew ? [] : this.#tokens.list, tokens), inUse, reading: false, problem };
      // No event tells that the other program has ended.
      if (inUse.length > 0) this.#relist = setTimeout(() => void this.#list(anew), often);
    } catch (error) {
      if (this.#stream !== stream || error instanceof Unreachable) return; // the stream ends as well
      problem = error;
      // While a token is at work, others have to wait: that is no problem.
      this.#tokens = isProblem(error, "busy") ? this.#tokens : { ...this.#tokens, reading: false, problem };
      this.#relist = setTimeout(() => void this.#list(anew), often);
    }
    this.#show();
  }
}

/** agentState is the one state of the agent for the whole page. */
export const agentState = new AgentStore();

/** useAgent follows the agent of this computer; the page listens while any component does. */
export function useAgent(): AgentState {
  return useSyncExternalStore(agentState.subscribe, agentState.snapshot);
}
