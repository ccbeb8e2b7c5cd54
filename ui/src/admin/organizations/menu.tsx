import { ActionIcon, Menu, Text } from "@mantine/core";
import { IconBan, IconCircleCheck, IconDots, IconId, IconPencil } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask, type Schema } from "../../api/client";
import { ConfirmDialog } from "../../parts/confirm";
import { done, tell } from "../../parts/problem";
import { useRecent } from "../../session/recent";
import { useText } from "../../text";
import { dangerous } from "../colors";
import { changed } from "../queries";

/** OrganizationMenu holds what can be done with an organization. */
export function OrganizationMenu({
  organization: { id, name, is_active },
  onEdit,
  onSlots,
}: {
  organization: Schema<"Organization">;
  onEdit: () => void;
  onSlots: () => void;
}) {
  const t = useText();
  const words = t.people.organizations;
  const queries = useQueryClient();
  const recently = useRecent();
  const [asking, setAsking] = useState(false);
  const activate = async (active: boolean) => {
    const body = { is_active: active };
    await recently(() => ask(api.PATCH("/api/admin/organizations/{id}", { params: { path: { id } }, body })));
    done(active ? words.enabled(name) : words.disabled(name));
    void changed(queries);
  };
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`${t.common.actions.more}: ${name}`}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={onEdit}>
            {words.edit}
          </Menu.Item>
          <Menu.Item leftSection={<IconId size={16} aria-hidden />} onClick={onSlots}>
            {t.profiles.slots.menu}
          </Menu.Item>
          {is_active ? (
            <Menu.Item c={dangerous} leftSection={<IconBan size={16} aria-hidden />} onClick={() => setAsking(true)}>
              {words.disable}
            </Menu.Item>
          ) : (
            <Menu.Item
              leftSection={<IconCircleCheck size={16} aria-hidden />}
              onClick={() => void activate(true).catch(tell)}
            >
              {words.enable}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => activate(false)}
        title={words.disableTitle(name)}
        action={words.disable}
        danger
      >
        <Text size="sm">{words.disableText}</Text>
      </ConfirmDialog>
    </>
  );
}
