import createClient from "openapi-fetch";
import type { paths } from "../api/agent.gen";
import { ask } from "../api/client";
import { Unreachable } from "../api/problem";
import type { Agent } from "../flow/ports";
import { agentAddress } from "./address";
import type { AgentSchema } from "./schema";

/** Milliseconds that an answer of the agent may take. */
const patience = {
  read: 30_000,
  /** A change waits up to 30 seconds in the agent's queue before it runs. */
  card: 90_000,
  /** Making a key takes seconds, and may wait for a finger. */
  key: 180_000,
};

/**
 * within gives a signal that ends with the caller's or after a time. Calls that
 * change the card get no caller's signal: they are never left in the middle.
 */
function within(ms: number, signal?: AbortSignal): AbortSignal {
  return signal ? AbortSignal.any([signal, AbortSignal.timeout(ms)]) : AbortSignal.timeout(ms);
}

async function send(request: Request): Promise<Response> {
  try {
    return await fetch(request, { credentials: "omit", cache: "no-store", redirect: "error" });
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw new Unreachable("agent", cause);
  }
}

const http = createClient<paths>({ baseUrl: agentAddress(), fetch: send });

const reading = (serial: string, signal?: AbortSignal) => ({
  params: { query: { serial } },
  signal: within(patience.card, signal),
});
const changing = <Body>(body: Body, ms = patience.card) => ({ body, signal: within(ms) });

/**
 * agent calls the agent of this computer. It throws Problem for a refusal and
 * Unreachable when no answer came. It repeats nothing by itself.
 */
export const agent = {
  /** wellKnown is how an agent says that it is one. While the browser asks the person for permission, it waits. */
  async wellKnown(signal?: AbortSignal, ms = patience.read) {
    return ask(http.GET("/.well-known/service-agent", { signal: within(ms, signal) }));
  },
  /** publicKey is the agent's key with its identity's word for it. It waits while the key is made. */
  async publicKey(signal?: AbortSignal) {
    return ask(http.GET("/pubkey", { signal: within(patience.card, signal) }));
  },
  async systemInfo(signal?: AbortSignal) {
    return ask(http.GET("/system/info", { signal: within(patience.read, signal) }));
  },
  /** discover lists the tokens that are plugged in, and the readers whose token another program keeps to itself. */
  async discover(signal?: AbortSignal) {
    return ask(http.GET("/discover", { signal: within(patience.card, signal) }));
  },
  /** info tells what a card shows without a secret. attest costs firmware before 5.3 a signature. */
  async info(serial: string, attest?: AgentSchema<"Slot">["slot"], signal?: AbortSignal) {
    const query = attest ? { serial, attest } : { serial };
    return ask(http.GET("/piv/info", { params: { query }, signal: within(patience.card, signal) }));
  },
  /** checkDefaults tells which factory values are in use; null is unknown. */
  async checkDefaults(serial: string, signal?: AbortSignal) {
    return ask(http.GET("/piv/check-defaults", reading(serial, signal)));
  },
  async probe(serial, field, candidates) {
    return ask(http.POST("/piv/probe", changing({ encrypted: true, serial, field, candidates })));
  },
  async setPin(serial, current, next) {
    await ask(http.POST("/piv/set-pin", changing({ encrypted: true, serial, pin: next, current_pin: current })));
  },
  async setPuk(serial, current, next) {
    await ask(http.POST("/piv/set-puk", changing({ encrypted: true, serial, puk: next, current_puk: current })));
  },
  async unblockPin(serial, puk, pin) {
    await ask(http.POST("/piv/unblock-pin", changing({ encrypted: true, serial, puk, pin })));
  },
  async setRetries(serial, managementKey, pin, tries) {
    const body = {
      encrypted: true,
      serial,
      management_key: managementKey,
      pin,
      pin_retries: tries.pin,
      puk_retries: tries.puk,
    };
    await ask(http.POST("/piv/set-retries", changing(body)));
  },
  async rotateManagementKey(serial, current, next) {
    const body = { encrypted: true, serial, management_key: next, current_management_key: current };
    await ask(http.POST("/piv/rotate-management-key", changing(body)));
  },
  async takeManagementKey(serial, pin, next) {
    await ask(
      http.POST("/piv/rotate-management-key", changing({ encrypted: true, serial, management_key: next, pin })),
    );
  },
  async generateCsr(serial, r) {
    const body = {
      encrypted: true,
      serial,
      slot: r.slot,
      pin: r.pin,
      management_key: r.managementKey,
      subject: r.subject,
      overwrite: r.overwrite,
      reuse_key: r.reuseKey,
      ...(r.newKey?.type && { key_type: r.newKey.type }),
      ...(r.newKey?.pinPolicy && { pin_policy: r.newKey.pinPolicy }),
      ...(r.newKey?.touchPolicy && { touch_policy: r.newKey.touchPolicy }),
    };
    return ask(http.POST("/piv/generate-csr", changing(body, patience.key)));
  },
  async importCertificate(serial, r) {
    const body = {
      encrypted: true,
      serial,
      slot: r.slot,
      certificate: r.certificate,
      management_key: r.managementKey,
      pin: r.pin,
    };
    await ask(http.POST("/piv/import-certificate", changing(body)));
  },
  /** reset destroys every key of the card and puts back the factory values. */
  async reset(serial) {
    await ask(http.POST("/piv/reset", changing({ serial, confirm: serial })));
  },
} satisfies Agent & Record<string, unknown>;
