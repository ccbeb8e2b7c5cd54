import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Problem } from "../api/problem";

const look = vi.hoisted(() => vi.fn());
const signedIn = vi.hoisted(() => ({ id: 1 }));
vi.mock("./look", () => ({ look, realPorts: {} }));
const discover = vi.hoisted(() => vi.fn());
vi.mock("./client", () => ({ agent: { discover } }));
const register = vi.hoisted(() => vi.fn());
vi.mock("./registration", async (original) => ({
  ...(await original<typeof import("./registration")>()),
  onRegistered: () => () => {},
  registerAgent: register,
  sessionId: () => signedIn.id,
}));

/** Silent is a stream of events in which nothing happens. */
class Silent {
  addEventListener(_kind?: string, _listener?: () => void) {}
  close() {}
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { visibilityState: "visible", querySelector: () => null });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a failed look is shown, and tried again ever more seldom", async () => {
  const { agentState } = await import("./state");
  const error = new Problem(429, { detail: "Too many requests." }, "60");
  look.mockRejectedValue(error);
  await agentState.check();
  expect(agentState.snapshot()).toEqual({ kind: "failed", error });
  await vi.advanceTimersByTimeAsync(59_000);
  expect(look).toHaveBeenCalledTimes(1);
  look.mockRejectedValue(new Problem(500, {}));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(look).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(8_000);
  expect(look).toHaveBeenCalledTimes(2);
  look.mockResolvedValue({ kind: "prompt" });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(agentState.snapshot()).toEqual({ kind: "prompt" });
});

test("an agent that is at work stays when the server fails for a moment, until the session is another", async () => {
  vi.stubGlobal("EventSource", Silent);
  const { agentState } = await import("./state");
  const found = { version: "dev", hostname: "desk", os: "linux", fingerprint: "ab", tool: "ykman", toolVersion: "5" };
  look.mockResolvedValue({ kind: "ready", found, key: {} });
  await agentState.check();
  expect(agentState.snapshot()).toMatchObject({ kind: "ready", problem: null });
  const error = new Problem(503, {});
  look.mockRejectedValueOnce(error);
  await agentState.check();
  expect(agentState.snapshot()).toMatchObject({ kind: "ready", problem: error });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(agentState.snapshot()).toMatchObject({ kind: "ready", problem: null });
  signedIn.id = 2;
  look.mockRejectedValueOnce(error);
  await agentState.check();
  expect(agentState.snapshot()).toEqual({ kind: "failed", error });
});

test("an agent counts as compared only once its code was shown", async () => {
  vi.stubGlobal("EventSource", Silent);
  const { agentState } = await import("./state");
  const found = { version: "dev", hostname: "desk", os: "linux", fingerprint: "cd", tool: "ykman", toolVersion: "5" };
  const code = "ABCD-EFGH-IJKL-MNOP";
  const run = <T>(task: () => Promise<T>) => task();
  look.mockResolvedValue({ kind: "not_registered", found, key: {} });
  await agentState.check();
  register.mockRejectedValueOnce(new Problem(409, { code: "agent_confirmation_required", params: { code } }));
  look.mockResolvedValue({ kind: "unconfirmed", found, key: {}, code });
  expect(await agentState.register(run)).toBe(false);
  expect(register).toHaveBeenLastCalledWith({}, "desk", { confirmedCode: undefined });
  expect(agentState.snapshot()).toMatchObject({ kind: "unconfirmed", code });
  register.mockResolvedValueOnce(undefined);
  look.mockResolvedValue({ kind: "ready", found, key: {} });
  expect(await agentState.register(run)).toBe(true);
  expect(register).toHaveBeenLastCalledWith({}, "desk", { confirmedCode: code });
  register.mockRejectedValueOnce(new Problem(503, {}));
  look.mockResolvedValue({ kind: "unconfirmed", found, key: {}, code });
  await agentState.check();
  await expect(agentState.register(run)).rejects.toThrow(Problem);
});

test("a reader whose token another program keeps to itself is told of, and asked again until it is free", async () => {
  class Open extends Silent {
    override addEventListener(kind?: string, listener?: () => void) {
      if (kind === "open") listener?.();
    }
  }
  vi.stubGlobal("EventSource", Open);
  const { agentState } = await import("./state");
  const found = { version: "dev", hostname: "desk", os: "linux", fingerprint: "ef", tool: "ykman", toolVersion: "5" };
  look.mockResolvedValue({ kind: "ready", found, key: {} });
  const token = { serial: "41000007", model: "", firmware_version: "5.4.3", form_factor: "", reader: "one" };
  discover.mockResolvedValueOnce({ tokens: [], in_use: [{ reader: "one" }] });
  discover.mockResolvedValue({ tokens: [token] });
  await agentState.check();
  await vi.advanceTimersByTimeAsync(0);
  expect(agentState.snapshot()).toMatchObject({ kind: "ready", inUse: ["one"], tokens: [] });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(agentState.snapshot()).toMatchObject({ kind: "ready", inUse: [], tokens: [token] });
});
