import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Problem } from "../api/problem";

const look = vi.hoisted(() => vi.fn());
const signedIn = vi.hoisted(() => ({ id: 1 }));
vi.mock("./look", () => ({ look, realPorts: {} }));
vi.mock("./registration", () => ({
  onRegistered: () => () => {},
  registerAgent: async () => {},
  sessionId: () => signedIn.id,
}));

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
  vi.stubGlobal(
    "EventSource",
    class {
      addEventListener() {}
      close() {}
    },
  );
  const { agentState } = await import("./state");
  const found = { version: "dev", hostname: "desk", os: "linux", fingerprint: "ab", tool: "ykman", toolVersion: "5" };
  look.mockResolvedValue({ kind: "ready", found, publicKey: "" });
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
