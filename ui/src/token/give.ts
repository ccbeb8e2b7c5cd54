import { useQueryClient } from "@tanstack/react-query";
import { changeMany } from "../admin/stock/bulk";
import { useAgent } from "../agent/state";
import { api, ask, type Schema } from "../api/client";
import { Problem } from "../api/problem";
import { identified } from "../parts/person";
import { useRecent } from "../session/recent";
import { useText } from "../text";
import { deviceQuery } from "./data";

/** useChange changes one token, with a reason for the audit log. */
export function useChange() {
  const recently = useRecent();
  const queries = useQueryClient();
  return async (serial: string, change: Pick<Schema<"BulkInputBody">, "status" | "owner_id" | "reason">) => {
    const send = async (body: Schema<"BulkInputBody">) => (await ask(api.POST("/api/hwkey/bulk", { body }))).results;
    const [result] = await changeMany({ serials: [serial], ...change }, send, recently);
    await queries.invalidateQueries({ queryKey: ["hwkey", serial] });
    for (const queryKey of [["hwkeys"], ["certificates"]]) void queries.invalidateQueries({ queryKey });
    if (result?.result === "failed") throw new Problem(422, result);
  };
}

/**
 * useGive gives a token to somebody: one that is not on record is registered. Whoever has it already keeps it, and
 * nobody loses theirs by it.
 */
export function useGive() {
  const words = useText().desk.give;
  const queries = useQueryClient();
  const agent = useAgent();
  const change = useChange();
  return async (serial: string, owner_id: number, reason: string) => {
    const device = await queries.fetchQuery({ ...deviceQuery(serial), staleTime: 0 });
    if (device?.owner?.id === owner_id) return;
    if (device?.owner) throw new Problem(409, { code: "conflict", detail: words.taken(identified(device.owner)) });
    if (device) return change(device.serial, { owner_id, reason });
    const token = "tokens" in agent ? agent.tokens.find((p) => p.serial === serial) : undefined;
    const { model, firmware_version, form_factor } = token ?? {};
    const body = { serial, owner_id, ...(token && { model, firmware_version, form_factor }) };
    await ask(api.POST("/api/hwkey", { body: body as Schema<"NewHWKey"> }));
    await queries.invalidateQueries({ queryKey: ["hwkey", serial] });
    void queries.invalidateQueries({ queryKey: ["hwkeys"] });
  };
}
