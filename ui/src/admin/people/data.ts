import { useQuery } from "@tanstack/react-query";
import { api, ask, type Schema } from "../../api/client";
import { useCards } from "../../overview/cards";
import { duties } from "../../overview/mine";

const none: Schema<"HWKey">[] = [];

/** useHeld reads what a person holds: the tokens, their certificates of every status, and what is due about both. */
export function useHeld(id: number) {
  const query = { owner_id: id, limit: 100 };
  const tokens = useQuery({
    queryKey: ["hwkeys", "owner", id],
    queryFn: () => ask(api.GET("/api/hwkey", { params: { query } })),
  });
  const certificates = useQuery({
    queryKey: ["certificates", "owner", id],
    queryFn: () => ask(api.GET("/api/certificates", { params: { query } })),
  });
  const list = tokens.data?.items ?? none;
  const all = certificates.data?.items ?? [];
  const cards = useCards(list);
  return {
    tokens,
    certificates,
    live: all.filter((c) => c.status === "issued").sort((a, b) => a.not_after.localeCompare(b.not_after)),
    due: duties(list, all, cards.seen),
    /** The panels say why. */
    failed: tokens.isError || certificates.isError,
    ready: tokens.isSuccess && certificates.isSuccess && !cards.reading,
  };
}
export type Held = ReturnType<typeof useHeld>;

/** useInvited reads when a person was invited last, as the audit log has it; null: never. */
export function useInvited(id: number, wanted: boolean) {
  return useQuery({
    queryKey: ["audit", "invited", id],
    enabled: wanted,
    queryFn: async () => {
      const query = { action: "user.invited", target: String(id), outcome: "success" as const, limit: 1 };
      return (await ask(api.GET("/api/admin/audit", { params: { query } }))).items[0]?.at ?? null;
    },
  });
}
