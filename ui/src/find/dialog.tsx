import { Group, Loader, Stack, Text, TextInput, VisuallyHidden } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { agentState } from "../agent/state";
import { api, ask } from "../api/client";
import { Dialog } from "../parts/form";
import { Free } from "../parts/free";
import { useTotal } from "../parts/pager";
import { ProblemAlert } from "../parts/problem";
import { useMay, useMe } from "../session/hooks";
import { places } from "../shell/navigation";
import { useLanguage, useText } from "../text";
import { found as actionsFor } from "./actions";
import classes from "./dialog.module.css";
import { useFound } from "./found";
import { matches, type Place, sources } from "./kinds";

type Option = { key: string; name: string; hint?: string; place: Place };
type Section = { name: string; options: Option[] };

type Typing = {
  text: string;
  onText: (text: string) => void;
  /** The field has the focus. */
  onReady: () => void;
};

/** FindDialog finds tokens, people, certificates, organizations, pages and actions by what is typed. */
export function FindDialog({ opened, onClose, ...typing }: Typing & { opened: boolean; onClose: () => void }) {
  const words = useText().find;
  // The page that is opened takes the focus; whoever leaves without one gets it back.
  const [gone, setGone] = useState(false);
  // A dialog that is open from its very first moment does not know who had the focus before.
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (opened) setGone(false);
    setShown(opened);
  }, [opened]);
  return (
    <Dialog
      opened={shown && opened}
      onClose={onClose}
      title={words.title}
      size="lg"
      centered={false}
      yOffset="8vh"
      returnFocus={!gone}
    >
      <Finder
        {...typing}
        onGo={() => {
          setGone(true);
          onClose();
        }}
      />
    </Dialog>
  );
}

/** Finder is the field and what it finds: the focus stays in the field, and the arrows move through the rest. */
function Finder({ text, onText, onReady, onGo }: Typing & { onGo: () => void }) {
  const t = useText();
  const words = t.find;
  const navigate = useNavigate();
  const may = useMay();
  const language = useLanguage();
  const list = useId();
  const [chosen, setChosen] = useState<string>();
  const [wanted, setWanted] = useState(false);
  const { found, failed, old, again } = useFound(text);
  const sections = useSections(text, found);
  const options = sections.flatMap((s) => s.options);
  const at = Math.max(
    0,
    options.findIndex((o) => o.key === chosen),
  );
  const active = options[at];

  const open = ({ place }: Option) => {
    onGo();
    void navigate(place as never);
  };
  // Enter that came before the answer waits for it.
  const ready = wanted && !old;
  const opening = useRef(open);
  opening.current = open;
  useEffect(() => {
    if (!ready) return;
    setWanted(false);
    if (active) opening.current(active);
  }, [ready, active]);
  const shown = active?.key;
  useEffect(() => {
    if (shown) document.getElementById(`${list}-${shown}`)?.scrollIntoView({ block: "nearest" });
  }, [list, shown]);

  const press = (e: KeyboardEvent) => {
    // Keys of an input method choose its own words.
    if (e.nativeEvent.isComposing) return;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[e.key];
    if (to !== undefined) {
      e.preventDefault();
      setWanted(false);
      setChosen(options.at(to % options.length)?.key);
    } else if (e.key === "Enter") {
      e.preventDefault();
      setWanted(true);
    }
  };
  const kinds = [
    ...sources.filter((s) => may(s.needs)).map((s) => words.groups[s.kind]),
    words.groups.pages,
    words.groups.actions,
  ];
  const field = new Intl.ListFormat(language).format(kinds);
  const any = options.length > 0;
  return (
    <Stack gap="xs">
      <TextInput
        data-autofocus
        role="combobox"
        aria-label={words.title}
        aria-autocomplete="list"
        aria-expanded={any}
        aria-controls={any ? list : undefined}
        aria-activedescendant={active ? `${list}-${active.key}` : undefined}
        autoComplete="off"
        spellCheck={false}
        maxLength={128}
        placeholder={field}
        value={text}
        onChange={(e) => {
          onText(e.currentTarget.value);
          setChosen(undefined);
          setWanted(false);
        }}
        onFocus={onReady}
        onKeyDown={press}
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={old ? <Loader size={14} aria-hidden /> : null}
      />
      <VisuallyHidden role="status">{old ? words.searching : any ? words.count(options.length) : ""}</VisuallyHidden>
      {any ? (
        <div id={list} role="listbox" aria-label={words.results} className={classes.list} data-old={old || undefined}>
          {sections.map((section, i) => (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place in a listbox
            <div key={section.name} role="group" aria-labelledby={`${list}-group-${i}`}>
              <Text id={`${list}-group-${i}`} size="xs" c="dimmed" fw={600} className={classes.group}>
                {section.name}
              </Text>
              {section.options.map((option) => (
                // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active option
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
                <div
                  key={option.key}
                  id={`${list}-${option.key}`}
                  role="option"
                  aria-selected={option === active}
                  className={classes.option}
                  onPointerMove={() => setChosen(option.key)}
                  onClick={() => {
                    setChosen(option.key);
                    setWanted(true);
                  }}
                >
                  <Text span size="sm" fw={option.hint === undefined ? undefined : 600}>
                    <Free>{option.name}</Free>
                  </Text>
                  {option.hint ? (
                    <Text span size="xs" c="dimmed">
                      <Free>{option.hint}</Free>
                    </Text>
                  ) : null}
                </div>
              ))}
            </div>
          ))}
        </div>
      ) : null}
      {!any && !old && !failed ? (
        <Stack gap={2} py="md" align="center" role="status">
          <Text size="sm" fw={600}>
            {words.none}
          </Text>
          <Text size="sm" c="dimmed" ta="center">
            {words.noneText}
          </Text>
        </Stack>
      ) : null}
      {failed && !old ? (
        <ProblemAlert
          error={failed.error}
          title={words.failed(new Intl.ListFormat(language).format(failed.kinds.map((kind) => words.groups[kind])))}
          onRetry={again}
        />
      ) : null}
      <Group justify="flex-end" visibleFrom="sm">
        <Text size="xs" c="dimmed">
          {words.keys}
        </Text>
      </Group>
    </Stack>
  );
}

/** useSections puts what was found below the pages and actions whose names fit. */
function useSections(text: string, found: ReturnType<typeof useFound>["found"]): Section[] {
  const t = useText();
  const may = useMay();
  const me = useMe();
  const total = useTotal();
  const names = t.common.navigation;
  const own = useQuery({
    queryKey: ["find", "own", me.id],
    queryFn: () => ask(api.GET("/api/hwkey", { params: { query: { owner_id: me.id, limit: 2 } } })),
    staleTime: 60_000,
  }).data?.items;
  const agent = agentState.snapshot();
  const plugged = "tokens" in agent ? agent.tokens : [];
  const [, open] = /^\/tokens\/([^/]+)/.exec(useLocation({ select: (l) => l.pathname })) ?? [];
  const [only, ...others] = plugged.length > 0 ? plugged : (own ?? []);
  const meant = open ?? (others.length === 0 ? only?.serial : undefined);
  const actions = actionsFor(text, t, may, me.role, meant);
  const pages = [...places(may, me.role).flatMap((group) => group.links), { to: "/profile", text: "profile" as const }]
    .filter((link) => matches(names[link.text], text.trim()))
    .map((link) => ({ key: `page-${link.text}`, name: names[link.text], place: { to: link.to } }));
  const sections = found.map(({ kind, hits, count, all }) => {
    const options: Option[] = [...hits];
    if (all && count.total > hits.length) {
      options.push({ key: `all-${kind}`, name: t.find.all(total(count)), place: all });
    }
    return { name: t.find.groups[kind], options };
  });
  return [
    { name: t.find.groups.pages, options: pages },
    { name: t.find.groups.actions, options: actions },
    ...sections,
  ].filter((section) => section.options.length > 0);
}
