import { TagsInput, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask, type Schema } from "../../api/client";
import { type Attempt, useAttempt } from "../../parts/attempt";
import { Dialog, Form } from "../../parts/form";
import { done } from "../../parts/problem";
import { useForm } from "../../parts/useform";
import { useRecent } from "../../session/recent";
import { useText } from "../../text";
import { changed } from "../queries";

type Organization = Schema<"Organization">;
/** Target is what the form is about: an organization, a new one, or nothing (closed). */
export type Target = Organization | "new" | null;

/** OrganizationForm makes an organization, or changes its name and its email domains. */
export function OrganizationForm({ target, onClose }: { target: Target; onClose: () => void }) {
  const t = useText();
  const words = t.people.organizations;
  const attempt = useAttempt();
  return (
    <Dialog
      attempt={attempt}
      opened={target !== null}
      onClose={onClose}
      title={target === null || target === "new" ? words.add : words.editOf(target.name)}
    >
      {target === null ? null : (
        <Fields organization={target === "new" ? null : target} attempt={attempt} onClose={onClose} />
      )}
    </Dialog>
  );
}

type FieldsProps = { organization: Organization | null; attempt: Attempt; onClose: () => void };

function Fields({ organization, attempt, onClose }: FieldsProps) {
  const t = useText();
  const words = t.people.organizations;
  const queries = useQueryClient();
  const recently = useRecent();
  const form = useForm(attempt, { name: organization?.name ?? "", email_domains: organization?.email_domains ?? [] });
  const { name, email_domains: domains } = form.values;
  const [typed, setTyped] = useState("");

  const save = async () => {
    // A domain that was typed and not entered counts, too.
    const all = [...domains, typed].flatMap((text) => text.split(/[\s,;]+/)).filter(Boolean);
    const body = { name: name.trim(), email_domains: all };
    if (organization) {
      const path = { id: organization.id };
      await recently(() => ask(api.PATCH("/api/admin/organizations/{id}", { params: { path }, body })));
    } else {
      await ask(api.POST("/api/admin/organizations", { body }));
    }
    done(organization ? words.saved : words.created(body.name));
    void changed(queries);
    onClose();
  };

  return (
    <Form
      attempt={attempt}
      onSubmit={save}
      submit={organization ? t.common.actions.save : t.common.actions.create}
      disabled={!name.trim()}
      onCancel={onClose}
    >
      <TextInput
        data-autofocus
        label={words.name}
        required
        withAsterisk={false}
        autoComplete="off"
        maxLength={128}
        {...form.getInputProps("name")}
      />
      <TagsInput
        label={words.domains}
        description={words.domainsHint}
        placeholder={domains.length === 0 ? words.domainsPlaceholder : ""}
        maxTags={100}
        splitChars={[",", ";", " "]}
        searchValue={typed}
        onSearchChange={setTyped}
        {...form.getInputProps("email_domains")}
      />
    </Form>
  );
}
