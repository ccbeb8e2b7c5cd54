import { Button, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useCallback, useState } from "react";
import { ProfileDialog, type Target } from "../../admin/profiles/dialog";
import { SlotSettings } from "../../admin/profiles/slotsettings";
import { ProfileTable } from "../../admin/profiles/table";
import { Page, Panel } from "../../parts/page";
import { Leaving } from "../../system/leaving";
import { useText } from "../../text";

/** Profiles is the page of what certificates are for: what each slot gets, and all profiles. */
export function Profiles() {
  const words = useText().profiles;
  const [dirty, setDirty] = useState(false);
  const [target, setTarget] = useState<Target>(null);
  const onCopy = useCallback((profile: Exclude<Target, null | { what: "new" }>["profile"]) => {
    setTarget({ what: "copy", profile });
  }, []);
  return (
    <Page
      title={words.title}
      actions={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setTarget({ what: "new" })}>
          {words.create}
        </Button>
      }
    >
      <Leaving dirty={dirty} />
      <Text size="sm" c="dimmed" maw={720}>
        {words.intro}
      </Text>
      <SlotSettings onDirty={setDirty} />
      <Panel title={words.listTitle}>
        <ProfileTable onCopy={onCopy} />
      </Panel>
      <ProfileDialog target={target} onClose={() => setTarget(null)} />
    </Page>
  );
}
