import { isProblem, Unreachable } from "../api/problem";
import { agentAddress } from "./address";
import { agent } from "./client";
import { type Permission, permission } from "./permission";
import { askedCode, readSession, registerAgent } from "./registration";
import type { AgentKey } from "./schema";
import { codeOf, fingerprint } from "./seal";
import { least, tooOld } from "./version";

/** Found is an agent that answers this page. */
export type Found = {
  version: string;
  hostname: string;
  os: string;
  /** Hex SHA-256 of its public key; the agent prints the same one. */
  fingerprint: string;
  /** The token tool; without a version it is missing or does not work. */
  tool: string;
  toolVersion: string | null;
};

/** Sight is what one look at the agent showed. */
export type Sight =
  | { kind: "prompt" }
  /** insecure: the page came by plain http, which browsers keep away from this computer. */
  | { kind: "denied"; insecure: boolean }
  | { kind: "missing" }
  | { kind: "foreign_origin" }
  | { kind: "too_old"; version: string; least: string }
  | { kind: "not_registered"; found: Found; key: AgentKey }
  | { kind: "unconfirmed"; found: Found; key: AgentKey; code: string }
  | { kind: "ready"; found: Found; key: AgentKey };

/** Ports are what a look asks; tests put models in their place. */
export type Ports = {
  secure: () => boolean;
  permission: () => Promise<Permission>;
  agent: Pick<typeof agent, "wellKnown" | "publicKey" | "systemInfo">;
  /** Whether something at the agent's address refuses this page. */
  refuses: (signal: AbortSignal) => Promise<boolean>;
  session: (signal: AbortSignal) => Promise<{ agent_key_fingerprint: string | null }>;
  register: (key: AgentKey, hostname: string) => Promise<void>;
};

/** realPorts are the browser, the agent of this computer and the server. */
export const realPorts: Ports = {
  secure: () => isSecureContext,
  permission,
  agent,
  refuses,
  session: readSession,
  register: registerAgent,
};

/**
 * refuses: an agent that was started for another site answers with a refusal
 * that this page cannot read. Asked without CORS, it can notice it.
 */
async function refuses(signal: AbortSignal): Promise<boolean> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(5_000)]);
  try {
    await fetch(`${agentAddress()}/.well-known/service-agent`, {
      mode: "no-cors",
      credentials: "omit",
      cache: "no-store",
      signal: within,
    });
    return true;
  } catch {
    return false;
  }
}

const forAgent = 10_000; // ms
const forPerson = 600_000;

/**
 * look finds out how this page stands with the agent. asking: the browser may
 * ask the person for permission, and the look waits for the answer. It throws
 * what the server answers, and AbortError.
 */
export async function look(ports: Ports, asking: boolean, signal: AbortSignal): Promise<Sight> {
  if (!ports.secure()) return { kind: "denied", insecure: true };
  const may = await ports.permission();
  if (may === "denied") return { kind: "denied", insecure: false };
  if (may === "prompt" && !asking) return { kind: "prompt" };
  let version: string;
  try {
    const answer = await ports.agent.wellKnown(signal, may === "prompt" ? forPerson : forAgent);
    if (answer.status !== "ok") return { kind: "missing" };
    version = answer.version;
  } catch (error) {
    signal.throwIfAborted();
    return unanswered(ports, error, signal);
  }
  if (tooOld(version)) return { kind: "too_old", version, least };
  let key: AgentKey;
  let found: Found;
  try {
    key = await ports.agent.publicKey(signal);
    const system = await ports.agent.systemInfo(signal);
    found = {
      version,
      hostname: system.hostname,
      os: system.os,
      fingerprint: await fingerprint(key.public_key),
      tool: system.tool,
      toolVersion: system.tool_version,
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Unreachable) return { kind: "missing" }; // it has just ended
    throw error;
  }
  return registration(ports, found, key, signal);
}

async function unanswered(ports: Ports, error: unknown, signal: AbortSignal): Promise<Sight> {
  if (!(error instanceof Unreachable)) return { kind: "missing" }; // something else has the port
  const may = await ports.permission(); // the person may just have answered
  if (may === "denied") return { kind: "denied", insecure: false };
  if (may === "prompt") return { kind: "prompt" };
  return { kind: (await ports.refuses(signal)) ? "foreign_origin" : "missing" };
}

/**
 * registration has the server take the agent where the session has another, or
 * none: one that the person has paired it knows again, by its identity, and asks
 * nobody.
 */
async function registration(ports: Ports, found: Found, key: AgentKey, signal: AbortSignal): Promise<Sight> {
  const { agent_key_fingerprint: registered } = await ports.session(signal);
  if (registered === found.fingerprint) return { kind: "ready", found, key };
  // Of an agent without an identity nothing tells that it is the same as before.
  if (!key.identity) return { kind: "unconfirmed", found, key, code: codeOf(found.fingerprint) };
  try {
    await ports.register(key, found.hostname);
    return { kind: "ready", found, key };
  } catch (error) {
    if (isProblem(error, "reauthentication_required")) return { kind: "not_registered", found, key };
    const code = askedCode(error);
    if (code) return { kind: "unconfirmed", found, key, code };
    throw error;
  }
}
