import { Button, Group, Text } from "@mantine/core";
import { IconCopy, IconPencil, IconTrash } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, ask } from "../../api/client";
import { ConfirmDialog } from "../../parts/confirm";
import { done } from "../../parts/problem";
import { Warning } from "../../parts/warning";
import { useRecent } from "../../session/recent";
import { useText } from "../../text";
import { ProfileDialog, type Target } from "./dialog";
import { allProfilesQuery, type Profile, profilesKey } from "./queries";

/** Manage holds what can be done with a profile: of a built-in one, a copy. */
export function Manage({ profile }: { profile: Profile }) {
  const words = useText().profiles;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const recently = useRecent();
  // A copy needs a name that no other profile has.
  useQuery(allProfilesQuery);
  const [target, setTarget] = useState<Target>(null);
  const [deleting, setDeleting] = useState(false);
  const { name } = profile;
  const remove = async () => {
    await recently(() => ask(api.DELETE("/api/admin/profiles/{name}", { params: { path: { name } } })));
    done(words.remove.done);
    await navigate({ to: "/admin/profiles", replace: true });
    queries.removeQueries({ queryKey: [...profilesKey, "one", name] });
    await queries.invalidateQueries({ queryKey: profilesKey });
  };
  return (
    <>
      <Group gap="xs">
        <Button
          variant="default"
          leftSection={<IconCopy size={16} aria-hidden />}
          onClick={() => setTarget({ what: "copy", profile })}
        >
          {words.actions.copy}
        </Button>
        {profile.builtin ? null : (
          <>
            <Button
              variant="default"
              leftSection={<IconPencil size={16} aria-hidden />}
              onClick={() => setTarget({ what: "edit", profile })}
            >
              {words.actions.edit}
            </Button>
            <Button
              variant="default"
              c="var(--mantine-color-error)"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={() => setDeleting(true)}
            >
              {words.actions.delete}
            </Button>
          </>
        )}
      </Group>
      <ProfileDialog target={target} onClose={() => setTarget(null)} />
      <ConfirmDialog
        opened={deleting}
        onClose={() => setDeleting(false)}
        onConfirm={remove}
        title={words.remove.title(name)}
        action={words.actions.delete}
        danger
        disabled={profile.in_use}
      >
        {profile.in_use ? <Warning>{words.remove.inUse}</Warning> : <Text size="sm">{words.remove.text}</Text>}
      </ConfirmDialog>
    </>
  );
}
