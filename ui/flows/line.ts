import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Cut is a place to break the line: before a call happens, or after, with the answer lost. Nothing gets through after
 * that; but after a call that "failed" (did not happen), or whose answer was "lost", the line works again.
 */
export type Cut = { at: number; name?: string; when?: "before" | "after" | "failed" | "lost" };

/** Line counts the calls of one attempt and breaks at one. */
export class Line {
  readonly calls: string[] = [];
  /** Of calls: whether that one may change something. */
  readonly changes: boolean[] = [];
  hit = false;
  /** Whether the line works again after its cut. */
  readonly lives: boolean;
  readonly #cut: Cut;
  /** What comes after a call's answer, by the call's name. */
  readonly #after: (name: string) => Promise<void>;

  constructor(cut: Cut, after: (name: string) => Promise<void>) {
    this.#cut = cut;
    this.lives = cut.when === "failed" || cut.when === "lost";
    this.#after = after;
  }

  async pass(request: Request): Promise<Response> {
    const name = callName(new URL(request.url).pathname);
    const { at, when, name: named } = this.#cut;
    const here = !this.hit && when && (named ? named === name : this.calls.length === at);
    if (this.hit && !this.lives) throw killed();
    this.calls.push(name);
    this.changes.push(request.method !== "GET");
    this.hit ||= Boolean(here);
    const broken = this.lives ? unanswered : killed;
    if (here && (when === "before" || when === "failed")) throw broken();
    const response = await send(request);
    await this.#after(name);
    if (!here) return response;
    await response.arrayBuffer();
    throw broken();
  }
}

/** An attempt that was killed looks like this to a flow: it repeats nothing. */
const killed = () => new DOMException("the line was cut", "AbortError");

/** What fetch throws when no answer came. */
const unanswered = () => new TypeError("fetch failed");

const lines = new AsyncLocalStorage<Line>();
const send = globalThis.fetch;

/** within runs a task whose requests pass a line. */
export const within = <T>(line: Line, task: () => Promise<T>): Promise<T> => lines.run(line, task);

/** install stands between all requests and the network. A page's own addresses, which have no host, are the server's. */
export function install(server: string): void {
  class HostedRequest extends Request {
    constructor(input: RequestInfo | URL, init?: RequestInit) {
      super(typeof input === "string" ? new URL(input, server) : input, init);
    }
  }
  globalThis.Request = HostedRequest;
  globalThis.fetch = (input, init) => {
    const request = new HostedRequest(input, init);
    return lines.getStore()?.pass(request) ?? send(request);
  };
}

/** callName names a call by its path: "hwkey/secrets" of the server, "set-pin" of the agent. So does test/flow. */
function callName(path: string): string {
  return path.replace(/\/[0-9a-f]*[0-9][0-9a-f]*(?=\/|$)/g, "").replace(/^\/(api\/|piv\/|\.well-known\/|)/, "");
}
