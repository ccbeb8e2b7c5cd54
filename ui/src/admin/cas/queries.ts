import { queryOptions } from "@tanstack/react-query";
import { api, ask, type Schema } from "../../api/client";

/** CA is one as the server describes it. */
export type CA = Schema<"CA">;
export type ParentCRL = Schema<"ParentCRL">;

/** casQuery asks for all CAs, the active one first, and for the lists of those above them. */
export const casQuery = queryOptions({
  queryKey: ["cas"],
  queryFn: () => ask(api.GET("/api/admin/cas")),
});

/** What a change of a CA may change elsewhere, too: the chain of every certificate. */
export const affected = [casQuery.queryKey, ["pki"]] as const;
