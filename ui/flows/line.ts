import { AsyncLocalStorage } from "node:async_hooks";

/** Cut is a place to break the line: before a call happens, or after, with the answer lost. */
export type Cut = { at: number; name?: string; when?: "before" | "after" };

/** Line counts the calls of one attempt and breaks it at one; nothing gets through after that. */
export class Line {
  readonly calls: string[] = [];
  /** Of calls: whether that one may change something. */
  readonly changes: boolean[] = [];
  hit = false;
  readonly #cut: Cut;
  /** What comes after a call's answer, by the call's name. */
  readonly #after: (name: string) => Promise<void>;

  constructor(cut: Cut, after: (name: string) => Promise<void>) {
    this.#cut = cut;
    this.#after = after;
  }

  async pass(request: Request): Promise<Response> {
    const name = callName(new URL(request.url).pathname);
    const { at, when, name: named } = this.#cut;
    const here = when && (named ? named === name : this.calls.length === at);
    if (this.hit) throw broken();
    this.calls.push(name);
    this.changes.push(request.method !== "GET");
    this.hit = Boolean(here);
    if (here && when === "before") throw broken();
    const response = await send(request);
    await this.#after(name);
    if (!here) return response;
    await response.arrayBuffer();
    throw broken();
  }
}

/** An attempt that was killed looks like this to a flow: it repeats nothing. */
const broken = () => new DOMException("the line was cut", "AbortError");

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
