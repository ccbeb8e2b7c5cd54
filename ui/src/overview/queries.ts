import { api, ask } from "../api/client";
import { every } from "../parts/refetch";

const minute = 60_000;

/** mineQuery asks for a person's own tokens. Nobody has hundreds. */
export function mineQuery(id: number) {
  return {
    queryKey: ["hwkey", "mine", id] as const,
    queryFn: async () => (await ask(api.GET("/api/hwkey", { params: { query: { owner_id: id, limit: 100 } } }))).items,
  };
}

/** endedQuery asks for a person's certificates of every status, the last issued first. */
export function endedQuery(id: number) {
  return {
    queryKey: ["certificates", "mine", id] as const,
    queryFn: async () =>
      (await ask(api.GET("/api/certificates", { params: { query: { owner_id: id, limit: 200 } } }))).items,
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
  refetchInterval: every(minute),
};

/** sealQuery asks how far the audit log is sealed. */
export const sealQuery = {
  queryKey: ["audit", "seal"] as const,
  queryFn: () => ask(api.GET("/api/admin/audit/seal")),
  refetchInterval: every(minute),
};

/** healthQuery asks every part of the system how it is. */
export const healthQuery = {
  queryKey: ["overview", "health"] as const,
  queryFn: () => ask(api.GET("/api/admin/system/health")),
  refetchInterval: every(minute),
};

/** rotationsQuery asks for tokens whose change of secrets was not finished. */
export const rotationsQuery = {
  queryKey: ["hwkey", "rotations"] as const,
  queryFn: () => ask(api.GET("/api/hwkey", { params: { query: { rotation_pending: true, limit: 100 } } })),
};

/** lockedQuery asks who is locked out now. */
export const lockedQuery = {
  queryKey: ["users", "locked"] as const,
  queryFn: () => ask(api.GET("/api/admin/users", { params: { query: { locked: true, limit: 100 } } })),
};

/** firstStepsQuery asks what an installation still needs. */
export const firstStepsQuery = {
  queryKey: ["overview", "first-steps"] as const,
  queryFn: () => ask(api.GET("/api/admin/system/first-steps")),
};
