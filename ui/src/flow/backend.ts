import { registerAgent } from "../agent/registration";
import { api, ask } from "../api/client";
import { Problem, Unreachable } from "../api/problem";
import type { Backend } from "./ports";

const patience = 65_000; // ms for one answer; the service gives each within a minute
const attempts = 4;
const firstPause = 200; // ms
const longestWait = 10; // seconds of Retry-After that are waited for

/** pauseOf gives the milliseconds after which a refusal is worth another attempt, or null. */
function pauseOf(error: unknown, pause: number): number | null {
  if (error instanceof Unreachable) return pause / 2 + Math.random() * pause;
  if (!(error instanceof Problem) || (error.status !== 503 && error.status !== 429)) return null;
  const wait = error.retryAfter ?? 0;
  return wait > 0 && wait <= longestWait ? wait * 1000 : null;
}

/** once sends a request; an answer that breaks off is no answer. */
async function once<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  try {
    return await call(AbortSignal.timeout(patience));
  } catch (error) {
    const broken = error instanceof TypeError || (error instanceof DOMException && error.name === "TimeoutError");
    throw broken ? new Unreachable("server", error) : error;
  }
}

/** again sends a request that may be repeated without harm. */
async function again<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  for (let attempt = 1, pause = firstPause; ; attempt++, pause *= 2) {
    try {
      return await once(call);
    } catch (error) {
      const wait = attempt < attempts ? pauseOf(error, pause) : null;
      if (wait === null) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

const fields = "pin,puk,management_key";

/** backend calls the server as the present person. */
export const backend: Backend = {
  async registerAgent(key, hostname) {
    await again((signal) => registerAgent(key, hostname, { signal }));
  },
  device(serial) {
    return again((signal) => ask(api.GET("/api/hwkey/{serial}", { params: { path: { serial } }, signal })));
  },
  secrets(serial, reason) {
    const params = { path: { serial }, query: { fields, candidates: true, reason: reason || undefined } };
    return again((signal) => ask(api.GET("/api/hwkey/{serial}/secrets", { params, signal })));
  },
  startRotation(serial, fields, pin, reason) {
    const params = { path: { serial } };
    const body = { fields, pin: pin || undefined, reason: reason || undefined };
    return once((signal) => ask(api.POST("/api/hwkey/{serial}/rotations", { params, body, signal })));
  },
  commitRotation(serial, id, fields) {
    const request = { params: { path: { serial, id } }, body: { fields } };
    return again((signal) => ask(api.POST("/api/hwkey/{serial}/rotations/{id}/commit", { ...request, signal })));
  },
  abortRotation(serial, id, fields) {
    const request = { params: { path: { serial, id } }, body: { fields } };
    return again((signal) => ask(api.POST("/api/hwkey/{serial}/rotations/{id}/abort", { ...request, signal })));
  },
  observe(serial, field, matched, version) {
    const request = { params: { path: { serial } }, body: { field, matched, version } };
    // Each report of superseded or none moves on to the next value.
    const send = matched === "current" || matched === "factory" ? again : once;
    return send((signal) => ask(api.POST("/api/hwkey/{serial}/secrets/observations", { ...request, signal })));
  },
  usableProfiles(serial) {
    const params = { query: { serial } };
    return again((signal) => ask(api.GET("/api/certificate-profiles", { params, signal })));
  },
  signingReadiness(serial, slot, kept) {
    const params = { path: { serial }, query: { slot, public_key_sha256: kept || undefined } };
    return again((signal) => ask(api.GET("/api/hwkey/{serial}/signing-readiness", { params, signal })));
  },
  signCsr(serial, slot, { csr, attestation }, reason, renewal) {
    const body = {
      csr,
      slot,
      attestation: attestation ?? [],
      reason: reason || undefined,
      renew: renewal || undefined,
    };
    const request = { params: { path: { serial } }, body };
    return again((signal) => ask(api.POST("/api/hwkey/{serial}/sign-csr", { ...request, signal })));
  },
  async deviceCertificates(serial) {
    const params = { path: { serial }, query: { limit: 500 } };
    const page = await again((signal) => ask(api.GET("/api/hwkey/{serial}/certificates", { params, signal })));
    return page.items ?? [];
  },
  async installed(serial_number) {
    const params = { path: { serial_number } };
    await again((signal) => ask(api.POST("/api/certificates/{serial_number}/installed", { params, signal })));
  },
  async enrolled(serial, firmware_version) {
    const request = { params: { path: { serial } }, body: { firmware_version } };
    await again((signal) => ask(api.POST("/api/hwkey/{serial}/enrolled", { ...request, signal })));
  },
  async reset(serial, reason, removeOwner) {
    const body = { reason: reason || undefined, remove_owner: removeOwner || undefined };
    const request = { params: { path: { serial } }, body };
    await again((signal) => ask(api.POST("/api/hwkey/{serial}/reset", { ...request, signal })));
  },
};
