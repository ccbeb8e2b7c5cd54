import { SimpleGrid } from "@mantine/core";
import { Page } from "../parts/page";
import { Activity } from "../profile/activity";
import { Agents } from "../profile/agents";
import { Look } from "../profile/look";
import { Me } from "../profile/me";
import { Notifications } from "../profile/notifications";
import { Sessions } from "../profile/sessions";
import { useText } from "../text";

/** Profile is what belongs to the person: the account, what is told by mail, sessions, own entries, and how the pages look. */
export function Profile() {
  const t = useText();
  return (
    <Page title={t.profile.title}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Me />
        <Look />
      </SimpleGrid>
      <Notifications />
      <Sessions />
      <Agents />
      <Activity />
    </Page>
  );
}
