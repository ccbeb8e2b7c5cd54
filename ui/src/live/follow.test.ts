import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { session } from "../session/session";
import { affected } from "./affected";
import { follow, type Happening, patience } from "./follow";

/** A server whose streams the test writes; one lock and one channel, as a browser has them. */
class Server {
  asked: (string | null)[] = [];
  #streams: ReadableStreamDefaultController<Uint8Array>[] = [];
  answer = async (request: Request): Promise<Response> => {
    this.asked.push(request.headers.get("Last-Event-ID"));
    const body = new ReadableStream<Uint8Array>({
      start: (c) => {
        this.#streams.push(c);
        request.signal.addEventListener("abort", () => c.error(request.signal.reason));
      },
    });
    return new Response(body);
  };
  say(text: string): void {
    this.#streams.at(-1)?.enqueue(new TextEncoder().encode(text));
  }
  end(): void {
    this.#streams.at(-1)?.close();
  }
}

class Locks {
  #last: Promise<unknown> = Promise.resolve();
  request(_: string, { signal }: { signal: AbortSignal }, task: () => Promise<unknown>): Promise<unknown> {
    const before = this.#last;
    this.#last = before.then(() => (signal.aborted ? undefined : task()));
    return this.#last;
  }
}

let server: Server;
const stops: (() => void)[] = [];
const tab = (): Happening[] => {
  const seen: Happening[] = [];
  stops.push(follow(7, (h) => seen.push(h)));
  return seen;
};

beforeEach(() => {
  vi.useFakeTimers();
  server = new Server();
  vi.stubGlobal("navigator", { locks: new Locks() });
  vi.stubGlobal(
    "Request",
    class extends Request {
      constructor(path: string, init: RequestInit) {
        super(new URL(path, "http://localhost"), init);
      }
    },
  );
  vi.spyOn(session, "fetch").mockImplementation(server.answer);
});

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const token = 'data: {"id":"10001","kind":"tokens"}\n\n';
const at = (id: string) => `event: position\nid: ${id}\ndata: {}\n\n`;

test("one tab reads for all, whatever the parts in which it comes", async () => {
  const [first, second] = [tab(), tab()];
  await vi.waitFor(() => expect(server.asked).toHaveLength(1));
  server.say(`retry: 2000\n${at("5")}${token.slice(0, 20)}`);
  server.say(token.slice(20) + at("6"));
  await vi.waitFor(() => expect([first, second]).toEqual(Array(2).fill([{ kind: "tokens", id: "10001" }])));
  expect(server.asked).toEqual([null]);
});

test("who reads next continues where the last one was", async () => {
  tab();
  const second = tab();
  await vi.waitFor(() => expect(server.asked).toHaveLength(1));
  server.say(token + at("6"));
  await vi.waitFor(() => expect(second).toHaveLength(1));
  stops.shift()?.();
  await vi.waitFor(() => expect(server.asked).toEqual([null, "6"]));
  server.say(`event: missed\ndata: {}\n\n${at("9")}`);
  await vi.waitFor(() => expect(second.at(-1)).toEqual({ kind: "missed" }));
});

test("it begins again after an end and after a silence", async () => {
  tab();
  await vi.waitFor(() => expect(server.asked).toHaveLength(1));
  server.say(at("6"));
  await vi.advanceTimersByTimeAsync(1);
  server.end();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(server.asked).toEqual([null, "6"]);
  await vi.advanceTimersByTimeAsync(40_000);
  expect(server.asked).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(14_000);
  expect(server.asked).toEqual([null, "6", "6"]);
});

test("a server that refuses is asked less and less often", () => {
  expect([0, 1, 2, 9].map((n) => patience(n, 1))).toEqual([2_000, 4_000, 8_000, 60_000]);
  expect(patience(9, 0)).toBe(30_000);
});

test("the history on a person's page follows tokens, certificates and accounts, and the log stands still", () => {
  for (const kind of ["tokens", "certificates", "accounts"] as const) {
    const keys = affected({ kind, id: "4" }, 3);
    expect(keys).toContainEqual(["audit", "history"]);
    expect(keys).not.toContainEqual(["audit"]);
  }
});

test("one's own account is more than another's", () => {
  expect(affected({ kind: "accounts", id: "3" }, 3)).toContainEqual(["me"]);
  expect(affected({ kind: "accounts", id: "4" }, 3)).not.toContainEqual(["me"]);
  expect(affected({ kind: "missed" }, 3)).toEqual([[]]);
});
