import { ActionIcon, Group, Kbd, Text, UnstyledButton } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { lazyRouteComponent } from "@tanstack/react-router";
import { Suspense, useEffect, useState } from "react";
import { useText } from "../text";
import classes from "./find.module.css";

// Fetched when somebody looks for something, or is about to.
const FindDialog = lazyRouteComponent(() => import("../find/dialog"), "FindDialog");
const prepare = () => void FindDialog.preload?.()?.catch(() => {}); // whoever opens it is told

const apple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Find is the field of the header that leads to anything by its name; Ctrl+K opens it from every page. */
export function Find() {
  const words = useText().find;
  const [opened, setOpened] = useState(false);
  const [used, setUsed] = useState(false);
  const open = () => {
    setUsed(true);
    setOpened(true);
  };
  // What lies over the page is to be finished first.
  const free = () => document.querySelector("[role=dialog][aria-modal=true]") === null;
  useHotkeys([["mod+K", () => free() && open()]], []);
  // By the time that somebody looks for something, it is there: what is typed meanwhile would be lost.
  useEffect(() => {
    const timer = setTimeout(prepare, 2000);
    return () => clearTimeout(timer);
  }, []);
  const at = { onClick: open, onFocus: prepare, onPointerEnter: prepare, "aria-keyshortcuts": "Control+K Meta+K" };
  return (
    <>
      <UnstyledButton className={classes.field} visibleFrom="sm" {...at}>
        <Group component="span" gap={8} wrap="nowrap">
          <IconSearch size={16} aria-hidden />
          <Text span size="sm" c="dimmed">
            {words.button}
          </Text>
        </Group>
        <Kbd size="xs" aria-hidden>
          {apple ? "⌘K" : words.shortcut}
        </Kbd>
      </UnstyledButton>
      <ActionIcon variant="subtle" color="gray" size={34} hiddenFrom="sm" aria-label={words.button} {...at}>
        <IconSearch size={20} aria-hidden />
      </ActionIcon>
      {used ? (
        <Suspense fallback={null}>
          <FindDialog opened={opened} onClose={() => setOpened(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
