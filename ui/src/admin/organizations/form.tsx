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

/** OrganizationForm makes an organization, or changes its name and which names its members may have. */
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
  const form = useForm(attempt, {
    name: organization?.name ?? "",
    email_domains: organization?.email_domains ?? [],
    upn_suffixes: organization?.upn_suffixes ?? [],
    kerberos_realm: organization?.kerberos_realm ?? "",
  });
  const { name, email_domains: domains, upn_suffixes: suffixes, kerberos_realm: realm } = form.values;
  const [typed, setTyped] = useState("");
  const [typedSuffix, setTypedSuffix] = useState("");

  const save = async () => {
    const body = {
      name: name.trim(),
      email_domains: entered(domains, typed),
      upn_suffixes: entered(suffixes, typedSuffix),
      kerberos_realm: realm.trim(),
    };
    if (organization) {
      const path = { id: organization.id };
      await recently(() => ask(api.PATCH("/api/admin/organizations/{id}", { params: { path }, body })));
    } else {
      await recently(() => ask(api.POST("/api/admin/organizations", { body })));
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
      <TagsInput
        label={words.suffixes}
        description={words.suffixesHint}
        placeholder={suffixes.length === 0 ? words.suffixesPlaceholder : ""}
        maxTags={100}
        splitChars={[",", ";", " "]}
        searchValue={typedSuffix}
        onSearchChange={setTypedSuffix}
        {...form.getInputProps("upn_suffixes")}
      />
      <TextInput
        label={words.realm}
        description={words.realmHint}
        autoComplete="off"
        spellCheck={false}
        maxLength={255}
        {...form.getInputProps("kerberos_realm")}
      />
    </Form>
  );
}

/** entered are all domains: one that was typed and not entered counts, too. */
function entered(domains: string[], typed: string): string[] {
  return [...domains, typed].flatMap((text) => text.split(/[\s,;]+/)).filter(Boolean);
}
