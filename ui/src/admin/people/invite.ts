import { api, ask, type Schema } from "../../api/client";

/** invite makes the link by which somebody sets the first password of an account. A former link ends. */
export function invite(id: number, recently: <T>(task: () => Promise<T>) => Promise<T>): Promise<Schema<"Invitation">> {
  return recently(() => ask(api.POST("/api/admin/users/{id}/invite", { params: { path: { id } } })));
}
