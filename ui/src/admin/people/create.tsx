import { Button, Checkbox, Group, Modal, PasswordInput, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask, type Schema } from "../../api/client";
import { isProblem } from "../../api/problem";
import { onceProps, ShownOnce } from "../../parts/once";
import { done, ProblemAlert } from "../../parts/problem";
import { PasswordRules } from "../../session/change";
import { useMay } from "../../session/hooks";
import { Cancelled, useRecent } from "../../session/recent";
import { useText } from "../../text";
import { generatePassword } from "../password";
import { OrganizationSelect } from "../pick";
import { authConfigQuery, changed } from "../queries";
import { RoleSelect } from "./role";

type Made = { username: string; password: string; mustChange: boolean };
type Props = { opened: boolean; organizationId: number | undefined; onClose: () => void };

/** CreatePerson adds an account. A password that was made for it is shown once. */
export function CreatePerson({ opened, organizationId, onClose }: Props) {
  const t = useText();
  const words = t.people.create;
  const [made, setMade] = useState<Made | null>(null);
  const [busy, setBusy] = useState(false);
  const close = () => {
    setMade(null);
    onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={() => {
        if (!busy) close();
      }}
      title={made ? words.done(made.username) : words.title}
      {...(made ? onceProps : { closeOnClickOutside: false, closeOnEscape: !busy })}
      closeButtonProps={{ "aria-label": t.common.actions.close, disabled: busy }}
    >
      {made ? (
        <ShownOnce
          label={t.people.once.label}
          value={made.password}
          warning={made.mustChange ? `${t.people.once.text} ${t.people.once.mustChange}` : t.people.once.text}
          done={t.people.once.close}
          onDone={close}
        />
      ) : (
        <Form organizationId={organizationId} busy={busy} onBusy={setBusy} onMade={setMade} onClose={close} />
      )}
    </Modal>
  );
}

function Form({
  organizationId: first,
  busy,
  onBusy,
  onMade,
  onClose,
}: {
  organizationId: number | undefined;
  busy: boolean;
  onBusy: (busy: boolean) => void;
  onMade: (made: Made) => void;
  onClose: () => void;
}) {
  const t = useText();
  const words = t.people;
  const queries = useQueryClient();
  const recently = useRecent();
  const manyOrganizations = useMay()("create-organization");
  const policy = useQuery(authConfigQuery).data?.password_policy;
  const [username, setUsername] = useState("");
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Schema<"User">["role"]>("user");
  const [organizationId, setOrganizationId] = useState(first);
  const [own, setOwn] = useState(false);
  const [typed, setTyped] = useState("");
  const [change, setChange] = useState<boolean | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  // Whoever hands a made password over knows it.
  const mustChange = change ?? (own ? (policy?.change_at_first_sign_in ?? true) : true);
  const fields = isProblem(problem) ? problem : null;

  const submit = async () => {
    if (!policy || busy) return;
    onBusy(true);
    setProblem(null);
    const password = own ? typed : generatePassword(policy);
    try {
      const user = await recently(() =>
        ask(
          api.POST("/api/admin/users", {
            body: {
              username: username.trim(),
              email: email.trim(),
              password,
              role,
              must_change_password: mustChange,
              ...(manyOrganizations && role !== "global_admin" && organizationId
                ? { organization_id: organizationId }
                : {}),
            },
          }),
        ),
      );
      void changed(queries);
      if (own) {
        done(words.create.done(user.username));
        onClose();
      } else {
        onMade({ username: user.username, password, mustChange });
      }
    } catch (error) {
      if (!(error instanceof Cancelled)) setProblem(error);
    } finally {
      onBusy(false);
    }
  };

  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        void submit();
      }}
    >
      <Stack>
        <TextInput
          data-autofocus
          label={words.fields.username}
          description={words.fields.usernameHint}
          required
          withAsterisk={false}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={254}
          value={username}
          error={fields?.field("username")}
          onChange={(e) => setUsername(e.currentTarget.value)}
        />
        <TextInput
          type="email"
          label={words.fields.email}
          description={words.fields.emailHint}
          required
          withAsterisk={false}
          autoComplete="off"
          maxLength={254}
          value={email}
          error={fields?.field("email")}
          onChange={(e) => setEmail(e.currentTarget.value)}
        />
        <RoleSelect value={role} onChange={setRole} error={fields?.field("role")} />
        {manyOrganizations ? (
          <OrganizationSelect
            activeOnly
            label={words.fields.organization}
            value={role === "global_admin" ? undefined : organizationId}
            onChange={setOrganizationId}
            disabled={role === "global_admin"}
            required={role === "org_manager"}
            description={role === "global_admin" ? words.details.globalNoOrganization : undefined}
            error={fields?.field("organization_id")}
          />
        ) : null}
        <Stack gap="xs">
          <Group justify="space-between">
            <Text size="sm" fw={600} id="password-way">
              {words.fields.password}
            </Text>
            <SegmentedControl
              size="xs"
              aria-labelledby="password-way"
              value={own ? "type" : "generate"}
              onChange={(value) => setOwn(value === "type")}
              data={[
                { value: "generate", label: words.create.generate },
                { value: "type", label: words.create.type },
              ]}
            />
          </Group>
          {own ? (
            <>
              <PasswordInput
                aria-label={words.fields.password}
                aria-describedby="password-rules"
                required
                autoComplete="new-password"
                value={typed}
                error={fields?.field("password")}
                onChange={(e) => setTyped(e.currentTarget.value)}
              />
              <PasswordRules policy={policy} />
            </>
          ) : (
            <Text size="sm" c="dimmed">
              {words.create.generated}
            </Text>
          )}
          <Checkbox
            label={words.create.mustChange}
            checked={mustChange}
            onChange={(e) => setChange(e.currentTarget.checked)}
          />
        </Stack>
        {problem ? <ProblemAlert error={problem} /> : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={busy}>
            {t.common.actions.cancel}
          </Button>
          <Button type="submit" loading={busy} disabled={!policy}>
            {words.create.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
