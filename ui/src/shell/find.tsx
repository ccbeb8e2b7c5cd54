import { ActionIcon, Group, Kbd, Text, UnstyledButton } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { lazyRouteComponent } from "@tanstack/react-router";
import { Suspense, useCallback, useEffect, useState } from "react";
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
  const [text, setText] = useState("");
  const [early, setEarly] = useState(false);
  const open = () => {
    setUsed(true);
    setText("");
    setEarly(true);
    setOpened(true);
  };
  // What lies over the page is to be finished first.
  const close = useCallback(() => {
    setEarly(false);
    setOpened(false);
  }, []);
  const free = () => document.querySelector("[role=dialog][aria-modal=true]") === null;
  useHotkeys([["mod+K", () => free() && open()]], []);
  // What is typed before the field has the focus is meant for it, unless it doesn't come.
  useEffect(() => {
    if (!early) return;
    const type = (e: KeyboardEvent) => {
      if (e.key === "Escape") return close();
      const letter = e.key.length === 1 && !e.ctrlKey && !e.metaKey && !e.altKey;
      if (!letter && e.key !== "Enter" && e.key !== "Backspace") return;
      e.preventDefault();
      e.stopPropagation();
      setText((before) => (letter ? before + e.key : e.key === "Backspace" ? before.slice(0, -1) : before));
    };
    const timer = setTimeout(() => setEarly(false), 3000);
    addEventListener("keydown", type, true);
    addEventListener("pointerdown", close, true); // whoever turns to something else
    return () => {
      clearTimeout(timer);
      removeEventListener("keydown", type, true);
      removeEventListener("pointerdown", close, true);
    };
  }, [early, close]);
  // By the time that somebody looks for something, it is there.
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
          <FindDialog opened={opened} text={text} onText={setText} onReady={() => setEarly(false)} onClose={close} />
        </Suspense>
      ) : null}
    </>
  );
}
