import { Checkbox, Group, PasswordInput, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask, type Schema } from "../../api/client";
import type { Attempt } from "../../parts/attempt";
import { Form } from "../../parts/form";
import { called, identified } from "../../parts/person";
import { done, tell } from "../../parts/problem";
import { MakeDialog, ShownOnce } from "../../parts/shownonce";
import { useForm } from "../../parts/useform";
import { newPassword } from "../../session/change";
import { useMay } from "../../session/hooks";
import { useRecent } from "../../session/recent";
import { useText } from "../../text";
import { generatePassword } from "../password";
import { OrganizationSelect } from "../pick";
import { authConfigQuery, changed } from "../queries";
import { DirectoryFields } from "./directory";
import { invite } from "./invite";
import { NameField } from "./name";
import { RoleSelect } from "./role";

/** Made is an account with what is shown once: its password, or the link of its invitation, and where that was mailed. */
type Made = { called: string; secret: string; invited: boolean; mailed: string | null; mustChange: boolean };
type Way = "invite" | "generate" | "type";
type Props = { opened: boolean; organizationId: number | undefined; onClose: () => void };

/** CreatePerson adds an account. A password that was made for it is shown once. */
export function CreatePerson({ opened, organizationId, onClose }: Props) {
  const t = useText();
  const words = t.people.create;
  return (
    <MakeDialog<Made>
      opened={opened}
      onClose={onClose}
      title={(made) =>
        made ? (made.invited ? t.people.invite.title(made.called) : words.done(made.called)) : words.title
      }
      form={(how) => <Fields organizationId={organizationId} {...how} />}
      secret={(made, onDone) => (
        <ShownOnce
          label={made.invited ? t.people.invite.label : t.people.once.label}
          value={made.secret}
          warning={
            made.invited
              ? t.people.invite.said(made.mailed)
              : made.mustChange
                ? `${t.people.once.text} ${t.people.once.mustChange}`
                : t.people.once.text
          }
          done={t.people.once.close}
          onDone={onDone}
        />
      )}
    />
  );
}

type FieldsProps = {
  organizationId: number | undefined;
  attempt: Attempt;
  onMade: (made: Made) => void;
  onClose: () => void;
};

function Fields({ organizationId: first, attempt, onMade, onClose }: FieldsProps) {
  const words = useText().people;
  const queries = useQueryClient();
  const recently = useRecent();
  const manyOrganizations = useMay()("create-organization");
  const policy = useQuery(authConfigQuery).data?.password_policy;
  const form = useForm(attempt, {
    username: "",
    name: "",
    email: "",
    upn: "",
    sid: "",
    role: "user" as Schema<"User">["role"],
    organization_id: first,
    password: "",
  });
  const { username, name, email, upn, sid, role, organization_id } = form.values;
  const [way, setWay] = useState<Way>("generate");
  const own = way === "type";
  const [change, setChange] = useState<boolean | null>(null);
  // Whoever hands a made password over knows it.
  const mustChange = change ?? (own ? (policy?.change_at_first_sign_in ?? true) : true);

  const submit = async () => {
    if (!policy) return;
    const secret = own ? form.values.password : generatePassword(policy);
    const user = await recently(() =>
      ask(
        api.POST("/api/admin/users", {
          body: {
            username: username.trim(),
            email: email.trim(),
            ...(name.trim() ? { name: name.trim() } : {}),
            ...(upn.trim() ? { upn: upn.trim() } : {}),
            ...(sid.trim() ? { sid: sid.trim() } : {}),
            role,
            ...(way === "invite" ? {} : { password: secret, must_change_password: mustChange }),
            ...(manyOrganizations && role !== "global_admin" && organization_id ? { organization_id } : {}),
          },
        }),
      ),
    );
    void changed(queries);
    if (way === "invite") {
      try {
        const { url, mailed } = await invite(user.id, recently);
        onMade({
          called: identified(user),
          secret: url,
          invited: true,
          mailed: mailed ? user.email : null,
          mustChange: false,
        });
      } catch (error) {
        tell(error); // the account is there, and has a button to invite
        onClose();
      }
    } else if (own) {
      done(words.create.done(called(user)));
      onClose();
    } else {
      onMade({ called: identified(user), secret, invited: false, mailed: null, mustChange });
    }
  };

  const password = form.getInputProps("password");
  return (
    <Form attempt={attempt} onSubmit={submit} submit={words.create.submit} disabled={!policy} onCancel={onClose}>
      <TextInput
        data-autofocus
        label={words.fields.username}
        description={words.fields.usernameHint}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={254}
        {...form.getInputProps("username")}
        {...attempt.needed(username, form.getInputProps("username").error)}
      />
      <NameField {...form.getInputProps("name")} />
      <TextInput
        type="email"
        label={words.fields.email}
        description={words.fields.emailHint}
        autoComplete="off"
        maxLength={254}
        {...form.getInputProps("email")}
        {...attempt.needed(email, form.getInputProps("email").error)}
      />
      <RoleSelect {...form.getInputProps("role")} />
      {manyOrganizations ? (
        <OrganizationSelect
          activeOnly
          label={words.fields.organization}
          {...form.getInputProps("organization_id")}
          {...(role === "global_admin" && { value: undefined })}
          disabled={role === "global_admin"}
          {...(role === "org_manager" && attempt.needed(organization_id, form.getInputProps("organization_id").error))}
          description={role === "global_admin" ? words.details.globalNoOrganization : undefined}
        />
      ) : null}
      <DirectoryFields upn={form.getInputProps("upn")} sid={form.getInputProps("sid")} />
      <Stack gap="xs">
        <Group justify="space-between">
          <Text size="sm" fw={600} id="password-way">
            {words.fields.password}
          </Text>
          <SegmentedControl
            size="xs"
            aria-labelledby="password-way"
            value={way}
            onChange={(value) => setWay(value as Way)}
            data={[
              { value: "invite", label: words.create.invite },
              { value: "generate", label: words.create.generate },
              { value: "type", label: words.create.type },
            ]}
          />
        </Group>
        {own ? (
          <PasswordInput
            aria-label={words.fields.password}
            autoComplete="new-password"
            {...password}
            {...newPassword(attempt.needed(password.value, password.error), policy)}
          />
        ) : (
          <Text size="sm" c="dimmed">
            {way === "invite" ? words.create.invited : words.create.generated}
          </Text>
        )}
        {way === "invite" ? null : (
          <Checkbox
            label={words.create.mustChange}
            checked={mustChange}
            onChange={(e) => setChange(e.currentTarget.checked)}
          />
        )}
      </Stack>
    </Form>
  );
}
