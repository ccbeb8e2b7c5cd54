import { ActionIcon, Anchor, Button, Group, Popover, Stack, Text } from "@mantine/core";
import { IconBookmark, IconTrash } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { api, ask } from "../api/client";
import { asText } from "../parts/address";
import { chosenColumns } from "../parts/columns";
import { ConfirmDialog } from "../parts/confirm";
import { Free } from "../parts/free";
import { done } from "../parts/problem";
import { useMay } from "../session/hooks";
import { useText } from "../text";
import { type View, type ViewList, viewOf, viewsQuery } from "./queries";
import { SaveView } from "./save";

/** ViewsMenu is where a list's saved views are chosen, and the present one is saved. */
export function ViewsMenu({ list }: { list: ViewList }) {
  const words = useText().common.views;
  const router = useRouter();
  const queries = useQueryClient();
  const location = useLocation();
  const manages = useMay()("list-users");
  const [opened, setOpened] = useState(false);
  const [saving, setSaving] = useState(false);
  const [removing, setRemoving] = useState<View | null>(null);
  const views = (useQuery(viewsQuery).data ?? []).filter((v) => v.list === list);
  const { search } = location;
  const columns = asText((search as Record<string, unknown>).columns) ?? chosenColumns(list);
  const query = router.options.stringifySearch?.(viewOf(search, columns)).replace(/^\?/, "") ?? "";
  const remove = async (view: View) => {
    await ask(api.DELETE("/api/views/{id}", { params: { path: { id: view.id } } }));
    done(words.removed(view.name));
    await queries.invalidateQueries({ queryKey: viewsQuery.queryKey });
  };
  const group = (name: string, of: View[]) =>
    of.length === 0 ? null : (
      <div>
        <Text size="xs" c="dimmed" fw={600}>
          {name}
        </Text>
        {of.map((v) => (
          <Group key={v.id} justify="space-between" wrap="nowrap" gap="xs">
            <Anchor
              size="sm"
              href={`${location.pathname}${v.query ? `?${v.query}` : ""}`}
              aria-current={v.query === query ? "true" : undefined}
              fw={v.query === query ? 650 : undefined}
              onClick={(e) => {
                if (e.ctrlKey || e.metaKey || e.shiftKey) return; // another tab or window
                e.preventDefault();
                setOpened(false);
                router.history.push(e.currentTarget.getAttribute("href") ?? "");
              }}
            >
              <Free>{v.name}</Free>
            </Anchor>
            {v.shared && !manages ? null : (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                aria-label={words.remove(v.name)}
                onClick={() => {
                  setOpened(false);
                  setRemoving(v);
                }}
              >
                <IconTrash size={15} aria-hidden />
              </ActionIcon>
            )}
          </Group>
        ))}
      </div>
    );
  return (
    <>
      <Popover opened={opened} onChange={setOpened} position="bottom-end" shadow="md" width={280} trapFocus returnFocus>
        <Popover.Target>
          <Button
            variant="subtle"
            color="gray"
            ml="auto"
            px="xs"
            leftSection={<IconBookmark size={16} aria-hidden />}
            onClick={() => setOpened(!opened)}
          >
            {words.button}
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label={words.button}>
          <Stack gap="sm">
            {views.length === 0 ? <Text size="sm">{words.none}</Text> : null}
            {group(
              words.own,
              views.filter((v) => !v.shared),
            )}
            {group(
              words.shared,
              views.filter((v) => v.shared),
            )}
            <Button
              variant="light"
              size="xs"
              onClick={() => {
                setOpened(false);
                setSaving(true);
              }}
            >
              {words.save}
            </Button>
          </Stack>
        </Popover.Dropdown>
      </Popover>
      <SaveView opened={saving} onClose={() => setSaving(false)} list={list} query={query} />
      <ConfirmDialog
        opened={removing !== null}
        onClose={() => setRemoving(null)}
        onConfirm={async () => removing && remove(removing)}
        title={words.removeTitle(removing?.name ?? "")}
        action={words.removeAction}
        danger
      >
        {removing?.shared ? <Text size="sm">{words.removeShared}</Text> : null}
      </ConfirmDialog>
    </>
  );
}
