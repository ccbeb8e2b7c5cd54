import { TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask, type Schema } from "../../api/client";
import { isProblem } from "../../api/problem";
import { type Attempt, useAttempt } from "../../parts/attempt";
import { Dialog, Form } from "../../parts/form";
import { called } from "../../parts/person";
import { done } from "../../parts/problem";
import { useForm } from "../../parts/useform";
import { useMay, useMe } from "../../session/hooks";
import { useRecent } from "../../session/recent";
import { useText } from "../../text";
import { OrganizationSelect } from "../pick";
import { changed } from "../queries";
import { DirectoryFields } from "./directory";
import { FormerName } from "./former";
import { NameField } from "./name";
import { RoleSelect } from "./role";

type User = Schema<"User">;

type Props = { user: User; opened: boolean; onClose: () => void };

/** EditPerson changes names, role and organization, and asks about certificates that carry a former name. */
export function EditPerson({ user, opened, onClose }: Props) {
  const words = useText().person;
  const attempt = useAttempt();
  // Escape closes the question that lies on top of it, not both.
  const [asking, setAsking] = useState(false);
  return (
    <Dialog
      attempt={attempt}
      opened={opened}
      onClose={onClose}
      closeOnEscape={!asking && !attempt.busy}
      title={words.editOf(called(user))}
    >
      <Details user={user} attempt={attempt} onAsk={setAsking} onClose={onClose} />
    </Dialog>
  );
}

type DetailsProps = { user: User; attempt: Attempt; onAsk: (asking: boolean) => void; onClose: () => void };

function Details({ user, attempt, onAsk, onClose }: DetailsProps) {
  const t = useText();
  const words = t.people;
  const me = useMe();
  const queries = useQueryClient();
  const recently = useRecent();
  const manyOrganizations = useMay()("create-organization");
  const [named, setNamed] = useState<number | null>(null);
  const question = (count: number | null) => {
    setNamed(count);
    onAsk(count !== null);
  };
  const form = useForm(attempt, {
    name: user.name,
    email: user.email,
    upn: user.upn ?? "",
    sid: user.sid ?? "",
    role: user.role,
    organization_id: user.organization_id ?? undefined,
  });
  const { name, email, upn, sid, role, organization_id } = form.values;

  const body: Schema<"UserPatch"> = {};
  if (name.trim() !== user.name) body.name = name.trim();
  if (email.trim() !== user.email) body.email = email.trim();
  if (upn.trim() !== (user.upn ?? "")) body.upn = upn.trim();
  if (sid.trim() !== (user.sid ?? "")) body.sid = sid.trim();
  if (role !== user.role) body.role = role;
  const place = role === "global_admin" ? null : (organization_id ?? null);
  if (manyOrganizations && place !== user.organization_id) body.organization_id = place;
  const missing = manyOrganizations && role === "org_manager" && place === null;
  const same = Object.keys(body).length === 0;
  const moves = body.organization_id !== undefined && role !== "global_admin";

  const patch = async (answer: Schema<"UserPatch"> = {}) => {
    const change = { params: { path: { id: user.id } }, body: { ...body, ...answer } };
    await recently(() => ask(api.PATCH("/api/admin/users/{id}", change)));
    done(words.details.saved);
    onAsk(false);
    onClose();
    await changed(queries);
  };
  const save = () =>
    patch().catch((error: unknown) => {
      if (!isProblem(error, "certificates_live")) throw error;
      question(Number(error.params.count));
    });

  return (
    <>
      <Form
        attempt={attempt}
        onSubmit={save}
        submit={t.common.actions.save}
        disabled={same || missing}
        onCancel={onClose}
      >
        <NameField {...form.getInputProps("name")} />
        <TextInput
          type="email"
          label={words.fields.email}
          description={user.username === user.email ? words.details.usernameFollows : undefined}
          required
          autoComplete="off"
          maxLength={254}
          {...form.getInputProps("email")}
        />
        <RoleSelect
          disabled={user.id === me.id}
          description={user.id === me.id ? words.details.ownRole : undefined}
          {...form.getInputProps("role")}
        />
        {manyOrganizations ? (
          <OrganizationSelect
            activeOnly
            label={words.fields.organization}
            placeholder={words.noOrganization}
            {...form.getInputProps("organization_id")}
            value={place ?? undefined}
            disabled={role === "global_admin"}
            description={
              role === "global_admin"
                ? words.details.globalNoOrganization
                : moves
                  ? words.details.tokensFollow
                  : undefined
            }
            error={attempt.field("organization_id", missing ? words.details.managerNeedsOne : undefined)}
          />
        ) : null}
        <DirectoryFields upn={form.getInputProps("upn")} sid={form.getInputProps("sid")} stored={user.sid} />
      </Form>
      <FormerName
        count={named}
        onClose={() => question(null)}
        onAnswer={(revoke) => patch({ revoke_certificates: revoke })}
      />
    </>
  );
}
