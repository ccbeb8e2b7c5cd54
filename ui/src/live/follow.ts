import { EventSourceParserStream } from "eventsource-parser/stream";
import { session } from "../session/session";

/** Happening is what changed, as GET /api/events tells it; missed: more than is listed. */
export type Happening =
  | { kind: "tokens" | "accounts" | "certificates" | "jobs" | "notices"; id: string }
  | { kind: "missed" };

/** What the tab that reads tells the others: what happened, and how far it has read. */
type Message = { happening?: Happening; position?: string };

const silence = 50_000; // ms; the server says something every 20 s
const soon = 2_000;
const late = 60_000;

/**
 * follow tells of all that changes until it is stopped. One tab reads for all of the browser's that have the session:
 * over HTTP/1.1 a browser has six connections to a server, and a stream keeps one. The others stand by for its end.
 * A browser without Web Locks follows nothing, and its pages ask as before.
 */
export function follow(sessionId: number, told: (happening: Happening) => void): () => void {
  const name = `keyward-events-${sessionId}`;
  if (!navigator.locks || typeof BroadcastChannel === "undefined") return () => {};
  const stopped = new AbortController();
  const channel = new BroadcastChannel(name);
  let position = "";
  const take = (m: Message) => {
    if (m.position) position = m.position;
    if (m.happening) told(m.happening);
  };
  channel.addEventListener("message", (e: MessageEvent<Message>) => take(e.data));
  const pass = (m: Message) => {
    take(m);
    channel.postMessage(m);
  };
  navigator.locks
    .request(name, { signal: stopped.signal }, () => lead(() => position, pass, stopped.signal))
    .catch(() => {}); // stopped while it stood by
  return () => {
    stopped.abort();
    channel.close();
  };
}

async function lead(position: () => string, pass: (m: Message) => void, stopped: AbortSignal): Promise<void> {
  let failures = 0;
  while (!stopped.aborted) {
    try {
      await read(position(), stopped, (m) => {
        failures = 0;
        pass(m);
      });
    } catch {
      failures++;
    }
    await pause(patience(failures), stopped);
  }
}

/** patience is how long to wait, in ms, before the next try; not the same in every browser that has lost a server. */
export function patience(failures: number, random = Math.random()): number {
  return Math.min(late, soon * 2 ** failures) * (0.5 + random / 2);
}

/** read gives what comes, until the stream ends or falls silent. */
async function read(position: string, stopped: AbortSignal, pass: (m: Message) => void): Promise<void> {
  const silent = new AbortController();
  const signal = AbortSignal.any([stopped, silent.signal]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silent.abort(), silence);
  };
  alive();
  try {
    const headers: Record<string, string> = position ? { "Last-Event-ID": position } : {};
    const { ok, body } = await session.fetch(new Request("/api/events", { headers, signal }));
    if (!ok || !body) throw new Error("refused");
    const events = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>);
    const reader = events.pipeThrough(new EventSourceParserStream()).getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      alive();
      const m = messageOf(next.value);
      if (m) pass(m);
    }
  } finally {
    clearTimeout(timer);
  }
}

function messageOf({ event, id, data }: { event?: string | undefined; id?: string | undefined; data: string }) {
  if (event === "position") return { position: id ?? "" };
  if (event === "missed") return { happening: { kind: "missed" } } as const;
  return event ? undefined : { happening: JSON.parse(data) as Happening };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}
