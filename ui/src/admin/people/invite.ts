import { api, ask } from "../../api/client";

/** invite makes the link by which somebody sets the first password of an account. A former link ends. */
export async function invite(id: number, recently: <T>(task: () => Promise<T>) => Promise<T>): Promise<string> {
  const answer = await recently(() => ask(api.POST("/api/admin/users/{id}/invite", { params: { path: { id } } })));
  return answer.url;
}
