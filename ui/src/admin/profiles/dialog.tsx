import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, ask } from "../../api/client";
import { useAttempt } from "../../parts/attempt";
import { Dialog } from "../../parts/form";
import { done } from "../../parts/problem";
import { useRecent } from "../../session/recent";
import { useText } from "../../text";
import { describe } from "../../token/purpose";
import { blank, bodyOf, type Draft, draftOf, freeName } from "./draft";
import { ProfileForm } from "./form";
import { allProfilesQuery, type Profile, profilesKey } from "./queries";

/** Target is what the form is about: a new profile, the copy of one, or one that is changed; null: nothing (closed). */
export type Target = { what: "new" } | { what: "copy" | "edit"; profile: Profile } | null;

/** ProfileDialog makes a profile, or changes one. */
export function ProfileDialog({ target, onClose }: { target: Target; onClose: () => void }) {
  const t = useText();
  const words = t.profiles.form;
  const attempt = useAttempt();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const recently = useRecent();

  const save = async (draft: Draft) => {
    const body = bodyOf(draft);
    const name = draft.name.trim();
    if (target?.what === "edit") {
      const path = { name: target.profile.name };
      await recently(() => ask(api.PATCH("/api/admin/profiles/{name}", { params: { path }, body })));
      done(words.saved);
    } else {
      await recently(() => ask(api.POST("/api/admin/profiles", { body: { name, ...body } })));
      done(words.created(name));
    }
    void queries.invalidateQueries({ queryKey: profilesKey });
    onClose();
    if (target?.what !== "edit") await navigate({ to: "/admin/profiles/$name", params: { name } });
  };
  const first = (): Draft => {
    if (!target || target.what === "new") return blank;
    if (target.what === "edit") return draftOf(target.profile);
    const { name, description = "" } = target.profile;
    const taken = queries.getQueryData(allProfilesQuery.queryKey)?.items.map((p) => p.name) ?? [];
    // Of a built-in one, what it is for is said in the words of the page.
    return { ...draftOf(target.profile, freeName(name, taken)), description: describe(t, name, description) };
  };
  const title = (): string => {
    if (!target || target.what === "new") return words.createTitle;
    return (target.what === "edit" ? words.editTitle : words.copyTitle)(target.profile.name);
  };
  return (
    <Dialog attempt={attempt} opened={target !== null} onClose={onClose} size="72rem" title={title()}>
      {target ? (
        <ProfileForm
          first={first()}
          named={target.what === "edit"}
          submit={target.what === "edit" ? t.common.actions.save : t.common.actions.create}
          attempt={attempt}
          onSubmit={save}
          onCancel={onClose}
        />
      ) : null}
    </Dialog>
  );
}
