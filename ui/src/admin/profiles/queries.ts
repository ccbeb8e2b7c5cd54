import { queryOptions } from "@tanstack/react-query";
import { api, ask, type Schema } from "../../api/client";

export type Profile = Schema<"Profile">;

/** What all that is asked of profiles has in common: a change of one lets every page ask anew. */
export const profilesKey = ["profiles"];

/** allProfilesQuery asks for all profiles, the built-in ones first. */
export const allProfilesQuery = queryOptions({
  queryKey: [...profilesKey, "all"],
  queryFn: () => ask(api.GET("/api/admin/profiles")),
});

/** profileQuery asks for one profile. */
export function profileQuery(name: string) {
  return queryOptions({
    queryKey: [...profilesKey, "one", name],
    queryFn: () => ask(api.GET("/api/admin/profiles/{name}", { params: { path: { name } } })),
  });
}

/** Previewed is a profile that is previewed: its name, or a whole one. */
export type Previewed = Schema<"PreviewBody">["profile"];

/** previewQuery asks which certificate would come out of a profile; without a serial number, for a made-up person. */
export function previewQuery(profile: Previewed, serial: string) {
  return queryOptions({
    queryKey: [...profilesKey, "preview", profile, serial],
    queryFn: ({ signal }) =>
      ask(api.POST("/api/admin/profiles/preview", { body: { profile, ...(serial && { serial }) }, signal })),
    gcTime: 60_000,
  });
}

/** slotsQuery asks what each slot gets; of an organization, what it has instead of the installation's. */
export function slotsQuery(organization?: number) {
  return queryOptions({
    queryKey: [...profilesKey, "slots", organization ?? null],
    queryFn: () =>
      organization === undefined
        ? ask(api.GET("/api/admin/settings/slot-profiles"))
        : ask(api.GET("/api/admin/organizations/{id}/slot-profiles", { params: { path: { id: organization } } })),
  });
}
