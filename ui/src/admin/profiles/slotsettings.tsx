import { useQuery } from "@tanstack/react-query";
import { api, ask } from "../../api/client";
import { Loaded, Panel } from "../../parts/page";
import { SettingsForm, useSettingsForm } from "../../system/settingsform";
import { useText } from "../../text";
import { allProfilesQuery, type Profile, profilesKey, slotsQuery } from "./queries";
import { SlotFields } from "./slotfields";
import { bodyOf, draftOf, noPlan, type Stored } from "./slots";

type Props = { onDirty: (dirty: boolean) => void };

/** SlotSettings shows and changes what each slot gets in the whole installation. */
export function SlotSettings({ onDirty }: Props) {
  const words = useText().profiles.slots;
  const stored = useQuery(slotsQuery());
  const profiles = useQuery(allProfilesQuery);
  return (
    <Panel title={words.title}>
      <Loaded query={stored} height={420} wait={profiles.data === undefined && !profiles.isError}>
        {(slots) => <Form stored={slots} profiles={profiles.data?.items ?? []} onDirty={onDirty} />}
      </Loaded>
    </Panel>
  );
}

function Form({ stored, profiles, onDirty }: Props & { stored: Stored; profiles: readonly Profile[] }) {
  const words = useText().profiles.slots;
  const settings = useSettingsForm({
    stored,
    draftOf,
    find: (draft) => ({ plan: noPlan(draft) ? words.planEmpty : undefined }),
    put: (draft) => ask(api.PUT("/api/admin/settings/slot-profiles", { body: bodyOf(draft) })),
    queryKey: slotsQuery().queryKey,
    affects: profilesKey,
    onDirty,
  });
  return (
    <SettingsForm settings={settings} intro={words.about}>
      <SlotFields form={settings.form} attempt={settings.attempt} profiles={profiles} />
    </SettingsForm>
  );
}
