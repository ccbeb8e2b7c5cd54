import { api, ask, type Schema } from "../api/client";
import { Problem } from "../api/problem";

const minute = 60_000;

/** mineQuery asks for a person's own tokens. Nobody has hundreds. */
export function mineQuery(id: number) {
  return {
    queryKey: ["hwkey", "mine", id] as const,
    queryFn: async () => (await ask(api.GET("/api/hwkey", { params: { query: { owner_id: id, limit: 100 } } }))).items,
  };
}

/** reportQuery asks for the numbers of the fleet: every organization that the person may see. */
export const reportQuery = {
  queryKey: ["compliance", "overview"] as const,
  queryFn: async () => {
    const report = await ask(api.GET("/api/reports/compliance"));
    if (typeof report === "string") throw new Error("the report came as a table");
    return report;
  },
  staleTime: minute,
};

/** crlQuery asks how fresh the revocation list is. */
export const crlQuery = {
  queryKey: ["pki", "crl", "status"] as const,
  queryFn: () => ask(api.GET("/api/pki/crl/status")),
  refetchInterval: minute,
};

/** sealQuery asks how far the audit log is sealed. */
export const sealQuery = {
  queryKey: ["audit", "seal"] as const,
  queryFn: () => ask(api.GET("/api/admin/audit/seal")),
  refetchInterval: minute,
};

/** healthQuery asks every part of the system how it is. */
export const healthQuery = {
  queryKey: ["overview", "health"] as const,
  queryFn: () => ask(api.GET("/api/admin/system/health")),
  refetchInterval: minute,
};

/** rotationsQuery asks for tokens whose change of secrets was not finished. */
export const rotationsQuery = {
  queryKey: ["hwkey", "rotations"] as const,
  queryFn: () => ask(api.GET("/api/hwkey", { params: { query: { rotation_pending: true, limit: 100 } } })),
};

/** outOfSight gives null for an account that was deleted or belongs to others; any other error stays one. */
function outOfSight(error: unknown): null {
  if (error instanceof Problem && (error.status === 403 || error.status === 404)) return null;
  throw error;
}

/** lockedQuery finds who is locked out now: by the log of the last day, then by each account itself. */
export const lockedQuery = {
  queryKey: ["users", "locked"] as const,
  queryFn: async (): Promise<Schema<"User">[]> => {
    const from = new Date(Date.now() - 24 * 60 * minute).toISOString();
    const log = await ask(
      api.GET("/api/admin/audit", { params: { query: { action: "auth.lockout", from, limit: 100 } } }),
    );
    const ids = [...new Set(log.items.map((e) => Number(e.target_id)))].filter((id) => id > 0).slice(0, 10);
    const people = await Promise.all(
      ids.map((id) => ask(api.GET("/api/admin/users/{id}", { params: { path: { id } } })).catch(outOfSight)),
    );
    return people.filter((u) => u !== null).filter((u) => u.locked_until && Date.parse(u.locked_until) > Date.now());
  },
};
