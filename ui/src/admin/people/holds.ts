import { api, ask, type Schema } from "../../api/client";

/** Holds is what would end when a person leaves. */
export type Holds = {
  /** Assigned or active. */
  tokens: Schema<"HWKey">[];
  /** Issued to the person, and neither revoked nor expired. */
  certificates: Schema<"Certificate">[];
  sessions: Schema<"Session">[];
  keys: Schema<"APIKey">[];
};

/** holdsQuery asks for it. keys: whether whoever asks may see API keys. A person holds far less than a page of each. */
export function holdsQuery(id: number, keys: boolean) {
  return {
    queryKey: ["users", "holds", id, keys] as const,
    queryFn: async (): Promise<Holds> => {
      const query = { limit: 500 };
      const [tokens, certificates, sessions, made] = await Promise.all([
        ask(api.GET("/api/hwkey", { params: { query: { ...query, owner_id: id } } })),
        ask(api.GET("/api/certificates", { params: { query: { ...query, owner_id: id, status: "issued" } } })),
        ask(api.GET("/api/auth/sessions", { params: { query: { ...query, user_id: id } } })),
        keys
          ? ask(api.GET("/api/admin/api-keys", { params: { query: { ...query, active: true, created_by: id } } }))
          : null,
      ]);
      return {
        tokens: tokens.items.filter((token) => token.status === "assigned" || token.status === "active"),
        certificates: certificates.items,
        sessions: sessions.items.filter((session) => session.active),
        keys: made?.items ?? [],
      };
    },
  };
}
