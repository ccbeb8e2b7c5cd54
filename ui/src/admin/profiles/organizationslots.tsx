import { Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ask, type Schema } from "../../api/client";
import { type Attempt, useAttempt } from "../../parts/attempt";
import { Dialog, Form } from "../../parts/form";
import { Loaded } from "../../parts/page";
import { done } from "../../parts/problem";
import { useForm } from "../../parts/useform";
import { useRecent } from "../../session/recent";
import { useText } from "../../text";
import { allProfilesQuery, profilesKey, slotsQuery } from "./queries";
import { SlotFields } from "./slotfields";
import { bodyOf, draftOf, noPlan, type Stored } from "./slots";

type Organization = Pick<Schema<"Organization">, "id" | "name">;
type Props = { organization: Organization | null; onClose: () => void };

/** OrganizationSlots shows and changes what an organization has instead of what each slot gets elsewhere. */
export function OrganizationSlots({ organization, onClose }: Props) {
  const words = useText().profiles.slots;
  const attempt = useAttempt();
  return (
    <Dialog
      attempt={attempt}
      opened={organization !== null}
      onClose={onClose}
      size="xl"
      title={organization ? words.ofOrganization(organization.name) : ""}
    >
      {organization ? <Content organization={organization} attempt={attempt} onClose={onClose} /> : null}
    </Dialog>
  );
}

type ContentProps = { organization: Organization; attempt: Attempt; onClose: () => void };

function Content({ organization, attempt, onClose }: ContentProps) {
  const stored = useQuery({ ...slotsQuery(organization.id), staleTime: 0 });
  const base = useQuery(slotsQuery());
  return (
    <Loaded query={base} height={420} wait={stored.data === undefined && !stored.isError}>
      {(installation) => (
        <Loaded query={stored} height={420}>
          {(own) => (
            <Fields organization={organization} attempt={attempt} onClose={onClose} stored={own} base={installation} />
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

function Fields({ organization, attempt, onClose, stored, base }: ContentProps & { stored: Stored; base: Stored }) {
  const t = useText();
  const words = t.profiles.slots;
  const profiles = useQuery(allProfilesQuery).data?.items ?? [];
  const queries = useQueryClient();
  const recently = useRecent();
  const form = useForm(attempt, draftOf(stored), (draft) => ({ plan: noPlan(draft) ? words.planEmpty : undefined }));
  const save = async () => {
    const path = { id: organization.id };
    const body = bodyOf(form.values);
    await recently(() => ask(api.PUT("/api/admin/organizations/{id}/slot-profiles", { params: { path }, body })));
    done(words.saved);
    void queries.invalidateQueries({ queryKey: profilesKey });
    onClose();
  };
  return (
    <Form
      attempt={attempt}
      onSubmit={save}
      submit={t.common.actions.save}
      disabled={form.wrong.plan !== undefined}
      onCancel={onClose}
    >
      <Text size="sm" c="dimmed">
        {words.about}
      </Text>
      <SlotFields form={form} attempt={attempt} profiles={profiles} base={base} />
    </Form>
  );
}
