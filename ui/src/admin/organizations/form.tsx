import { Button, Group, Modal, Stack, TagsInput, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask, type Schema } from "../../api/client";
import { isProblem } from "../../api/problem";
import { done, ProblemAlert } from "../../parts/problem";
import { useText } from "../../text";
import { changed } from "../queries";

type Organization = Schema<"Organization">;
/** Target is what the form is about: an organization, a new one, or nothing (closed). */
export type Target = Organization | "new" | null;

/** OrganizationForm makes an organization, or changes its name and its email domains. */
export function OrganizationForm({ target, onClose }: { target: Target; onClose: () => void }) {
  const t = useText();
  const words = t.people.organizations;
  return (
    <Modal
      opened={target !== null}
      onClose={onClose}
      closeOnClickOutside={false}
      title={target === null || target === "new" ? words.add : words.editOf(target.name)}
      closeButtonProps={{ "aria-label": t.common.actions.close }}
    >
      {target === null ? null : <Fields organization={target === "new" ? null : target} onClose={onClose} />}
    </Modal>
  );
}

function Fields({ organization, onClose }: { organization: Organization | null; onClose: () => void }) {
  const t = useText();
  const words = t.people.organizations;
  const queries = useQueryClient();
  const [name, setName] = useState(organization?.name ?? "");
  const [domains, setDomains] = useState(organization?.email_domains ?? []);
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const fields = isProblem(problem) ? problem : null;

  const save = async () => {
    setBusy(true);
    setProblem(null);
    // A domain that was typed and not entered counts, too.
    const all = [...domains, typed].flatMap((text) => text.split(/[\s,;]+/)).filter(Boolean);
    const body = { name: name.trim(), email_domains: all };
    try {
      if (organization) {
        const path = { id: organization.id };
        await ask(api.PATCH("/api/admin/organizations/{id}", { params: { path }, body }));
      } else {
        await ask(api.POST("/api/admin/organizations", { body }));
      }
      done(organization ? words.saved : words.created(body.name));
      void changed(queries);
      onClose();
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        void save();
      }}
    >
      <Stack>
        <TextInput
          data-autofocus
          label={words.name}
          required
          withAsterisk={false}
          autoComplete="off"
          maxLength={128}
          value={name}
          error={fields?.field("name")}
          onChange={(e) => setName(e.currentTarget.value)}
        />
        <TagsInput
          label={words.domains}
          description={words.domainsHint}
          placeholder={domains.length === 0 ? words.domainsPlaceholder : ""}
          maxTags={100}
          splitChars={[",", ";", " "]}
          value={domains}
          onChange={setDomains}
          searchValue={typed}
          onSearchChange={setTyped}
          error={fields?.field("email_domains")}
        />
        {problem ? <ProblemAlert error={problem} /> : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={busy}>
            {t.common.actions.cancel}
          </Button>
          <Button type="submit" loading={busy} disabled={!name.trim()}>
            {organization ? t.common.actions.save : t.common.actions.create}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
