import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { Problem, Unreachable } from "../api/problem";
import { look, type Ports } from "./look";
import { onLoopback } from "./permission";
import { after, merged, readerEvent } from "./plugged";
import { codeOf, fingerprint } from "./seal";
import { tooOld } from "./version";

const key = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ type: "spki", format: "pem" });
const own = await fingerprint(key.toString());
const agentKey = { public_key: key.toString(), fingerprint: own, identity: { public_key: "PEM", signature: "AAAA" } };

/** ports are a page, an agent and a server where all is well; what is given differs. */
function ports(more: Partial<Ports> = {}, registered: string | null = own): Ports {
  return {
    secure: () => true,
    permission: async () => "granted",
    agent: {
      wellKnown: async () => ({ status: "ok", version: "dev" }),
      publicKey: async () => agentKey,
      systemInfo: async () => ({
        hostname: "desk",
        os: "linux",
        arch: "amd64",
        agent_version: "dev",
        tool: "ykman",
        tool_version: "5.0.0",
      }),
    },
    refuses: async () => false,
    session: async () => ({ agent_key_fingerprint: registered }),
    register: async () => {},
    ...more,
  };
}

const silent: Ports["agent"] = { ...ports().agent, wellKnown: async () => Promise.reject(new Unreachable("agent")) };
const kindOf = async (p: Ports, asking = false) => (await look(p, asking, new AbortController().signal)).kind;

test("each trouble has its name", async () => {
  expect(await kindOf(ports())).toBe("ready");
  expect(await kindOf(ports({ secure: () => false }))).toBe("denied");
  expect(await kindOf(ports({ permission: async () => "denied" }))).toBe("denied");
  expect(await kindOf(ports({ agent: silent }))).toBe("missing");
  expect(await kindOf(ports({ agent: silent, refuses: async () => true }))).toBe("foreign_origin");
  const broken = { ...silent, wellKnown: async () => Promise.reject(new Problem(404, {})) };
  expect(await kindOf(ports({ agent: broken }))).toBe("missing");
  const old = { ...silent, wellKnown: async () => ({ status: "ok" as const, version: "0.0.9" }) };
  expect(await kindOf(ports({ agent: old }))).toBe("too_old");
});

test("nothing is asked of the browser before the person agrees", async () => {
  let asked = 0;
  const watched = {
    ...silent,
    wellKnown: async () => {
      asked++;
      throw new Unreachable("agent");
    },
  };
  const p = ports({ permission: async () => "prompt", agent: watched });
  expect(await kindOf(p)).toBe("prompt");
  expect(asked).toBe(0);
  expect(await kindOf(p, true)).toBe("prompt"); // the question was closed without an answer
  expect(asked).toBe(1);
  let answer: "prompt" | "denied" = "prompt";
  const said = {
    ...silent,
    wellKnown: async () => {
      answer = "denied";
      throw new Unreachable("agent");
    },
  };
  expect(await kindOf(ports({ permission: async () => answer, agent: said }), true)).toBe("denied");
});

test("what answers is registered where the server takes it, and the person asked where it does not", async () => {
  const registered: unknown[] = [];
  const register = async (key: unknown, hostname: string) => void registered.push([key, hostname]);
  const refuses = (status: number, document: Record<string, unknown>) => async () =>
    Promise.reject(new Problem(status, document));
  for (const before of [null, "another"]) {
    expect(await kindOf(ports({ register }, before))).toBe("ready");
    const stale = refuses(403, { code: "reauthentication_required" });
    expect(await kindOf(ports({ register: stale }, before))).toBe("not_registered");
    const code = "ABCD-EFGH-IJKL-MNOP";
    const strange = refuses(409, { code: "agent_confirmation_required", params: { code } });
    const sight = await look(ports({ register: strange }, before), false, new AbortController().signal);
    expect(sight).toMatchObject({ kind: "unconfirmed", code });
  }
  expect(registered).toEqual([
    [agentKey, "desk"],
    [agentKey, "desk"],
  ]);
  await expect(kindOf(ports({ register: refuses(409, { code: "conflict" }) }, null))).rejects.toThrow(Problem);
});

test("an agent without an identity is never registered before its key's code was compared", async () => {
  const bare = { ...ports().agent, publicKey: async () => ({ ...agentKey, identity: undefined }) };
  const register = async () => Promise.reject(new Error("registered"));
  const sight = await look(ports({ agent: bare as never, register }, null), false, new AbortController().signal);
  expect(sight).toMatchObject({ kind: "unconfirmed", code: codeOf(own) });
  expect(await kindOf(ports({ agent: bare as never, register }, own))).toBe("ready"); // this session has it
  // Of the shared vectors: base64.b32encode(bytes.fromhex("00443214c74254b635cf...")) of Python.
  expect(codeOf("00443214c74254b635cf84653a56d7c675be77df".padEnd(64, "0"))).toBe("ABCD-EFGH-IJKL-MNOP");
});

test("an agent that ends in the middle is missing, and a lost server is an error", async () => {
  const ended = { ...ports().agent, publicKey: async () => Promise.reject(new Unreachable("agent")) };
  expect(await kindOf(ports({ agent: ended }))).toBe("missing");
  const lost = ports({ session: async () => Promise.reject(new Unreachable("server")) });
  await expect(kindOf(lost)).rejects.toThrow(Unreachable);
});

test("versions are compared by number", () => {
  expect(tooOld("1.9.9", "1.10.0")).toBe(true);
  expect(tooOld("v1.10.0", "1.10.0")).toBe(false);
  expect(tooOld("2.0.0-3-gabc", "1.10.0")).toBe(false);
  for (const version of ["dev", "", "3fa9c21", "1.2"]) expect(tooOld(version, "1.10.0")).toBe(false);
});

test("pages of this computer need no permission", () => {
  for (const host of ["localhost", "127.0.0.1", "[::1]", "keyward.localhost"]) expect(onLoopback(host)).toBe(true);
  for (const host of ["keyward.example.org", "localhost.example.org", "10.0.0.1"]) expect(onLoopback(host)).toBe(false);
});

test("tokens come and go by events, and absence from a list is no removal", () => {
  const token = (serial: string) => ({
    serial,
    reader: `r${serial}`,
    model: "",
    firmware_version: "",
    form_factor: "",
  });
  const [a, b] = [token("1"), token("2")];
  expect(after([a, b], { kind: "removed", reader: "x", serial: "1" })).toEqual([b]);
  expect(after([a, b], { kind: "inserted", reader: "r2", serial: null })).toEqual([a]);
  expect(merged([a], [b])).toEqual([a, b]);
  expect(merged([a], [{ ...b, reader: "r1" }])).toEqual([{ ...b, reader: "r1" }]);
  expect(readerEvent("removed", '{"reader":"r1","serial":"1"}')).toEqual({
    kind: "removed",
    reader: "r1",
    serial: "1",
  });
  for (const bad of ["", "{", "null", "[]", 7]) expect(readerEvent("removed", bad)).toBeNull();
});
