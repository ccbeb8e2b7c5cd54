import { createInterface } from "node:readline";
import type { Kind, Options, Question, Result } from "../src/flow";
import { type Cut, install, Line, within } from "./line";

// The page's flows as a process: test/flow tells it what to attempt, line by line, and it tells what came of it.

type Identity = { server: string; agent: string; username: string; password: string };

type Attempt = {
  id: number;
  flow: Kind;
  serial: string;
  slot?: Options["slot"];
  chosen?: string;
  typed?: string;
  keep_key?: boolean;
  reason?: string;
  answer?: "yes" | "no" | "nobody";
  cancel?: string;
  cut: Cut;
  pause?: string;
};

const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const read = async () => {
  const { value, done } = await input.next();
  return done ? null : JSON.parse(value);
};
const write = (line: unknown) => process.stdout.write(`${JSON.stringify(line)}\n`);

const identity = (await read()) as Identity;
install(identity.server);
// What the server writes into the page's head.
Object.assign(globalThis, {
  document: { documentElement: { lang: "en" }, querySelector: () => ({ content: identity.agent }) },
});
const flows = await import("../src/flow");
const { Problem, Unreachable } = await import("../src/api/problem");
const { session } = await import("../src/session/session");
const { agent } = await import("../src/agent/client");
const { registerAgent } = await import("../src/agent/registration");
await session.login(identity.username, identity.password);
// Once a session: without this, the first attempt alone would have one call more than the others.
await registerAgent(await agent.publicKey(), "desk");

const run: Record<Kind, (options: Options, a: Attempt) => Promise<Result>> = {
  enroll: (o) => flows.enroll(o),
  change_pin: (o, a) => flows.changePIN(o, a.chosen),
  unblock: (o, a) => flows.unblock(o, a.chosen),
  renew: (o, a) => flows.renew(o, a.keep_key),
  recover: (o, a) => flows.recoverWithPIN(o, a.typed ?? "", a.chosen),
  set_retries: (o, a) => flows.setRetries(o, a.typed),
  reset: (o) => flows.reset(o),
};

/** Who waits for somebody else to be faster, by the attempt's id. */
const paused = new Map<number, () => void>();

async function attempt(a: Attempt) {
  const line = new Line(a.cut, async (name) => {
    if (name !== a.pause) return;
    a.pause = "";
    await new Promise<void>((resolve) => {
      paused.set(a.id, resolve);
      write({ id: a.id, paused: true });
    });
  });
  const stop = new AbortController();
  const asked: string[] = [];
  const stages: number[] = [];
  const steps = flows.steps(a.flow);
  const options: Options = {
    serial: a.serial,
    slot: a.slot,
    reason: a.reason,
    signal: stop.signal,
    progress: (e) => {
      stages.push(steps.indexOf(e.stage));
      if (e.step === a.cancel) stop.abort();
    },
  };
  if (a.answer !== "nobody") {
    options.confirm = async (question) => {
      asked.push(question.kind + detail(question));
      return a.answer === "yes" || (!a.answer && question.kind !== "overwrite");
    };
  }
  const result = await within(line, () => run[a.flow](options, a)).then(done, (e) => stopped(e, line, stop.signal));
  const { calls, changes } = line;
  write({ id: a.id, ...result, asked, calls, changes, stages, last: steps.length - 1 });
}

function detail(q: Question): string {
  if (q.kind === "overwrite") return `: ${q.reason}`;
  return q.kind === "another_try" && q.last ? ": last" : "";
}

function done({ resumed, unchanged, certificates: [certificate] }: Result) {
  return { outcome: "done", resumed, unchanged, certificate: certificate?.serialNumber };
}

/** stopped names the error that a flow ended with. */
function stopped(error: unknown, line: Line, signal: AbortSignal) {
  const told = { detail: String(error) };
  if (line.hit && (!line.lives || error instanceof Unreachable)) return { ...told, outcome: "cut" };
  if (signal.aborted && error === signal.reason) return { ...told, outcome: "cancelled" };
  if (flows.isOutcome(error)) {
    const { code, ways, reasons, retriesLeft } = error;
    return { ...told, outcome: code, ways: ways.length, reasons, retries_left: retriesLeft };
  }
  return { ...told, outcome: error instanceof Problem ? `problem ${error.code}` : "error of another kind" };
}

for (let line = await read(); line; line = await read()) {
  const goOn = paused.get(line.id);
  paused.delete(line.id);
  if (goOn) goOn();
  else void attempt(line);
}
process.exit(0); // the session would renew itself for ever
