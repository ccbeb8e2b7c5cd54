import "virtual:mantine/rest.css";
import { AppShell, Burger, Center, Group, Loader, NavLink, ScrollArea, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useLocation, useMatches, useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useLive } from "../live/live";
import { useAgain } from "../parts/again";
import { Insecure } from "../parts/insecure";
import { Logo } from "../parts/logo";
import { useListOf, useOrigins } from "../parts/origin";
import { ProblemAlert } from "../parts/problem";
import { meQuery, useMay, useMe, useSessionState } from "../session/hooks";
import { session } from "../session/session";
import { useText } from "../text";
import { EndedDialog } from "./ended";
import { Find } from "./find";
import { useKeptFocus } from "./focus";
import { useOwnLanguage } from "./language";
import { Licensing } from "./licensing";
import { Refused } from "./lost";
import { Menu } from "./menu";
import { places } from "./navigation";
import { Notices } from "./notices";

/** Shell is the frame of every page that needs a signed-in person. */
export function Shell() {
  const state = useSessionState();
  const navigate = useNavigate();
  const [problem, setProblem] = useState<unknown>(null);
  const unknown = state.kind === "unknown";
  useEffect(() => {
    if (unknown && problem === null) session.restore().catch(setProblem);
  }, [unknown, problem]);

  useAgain(unknown ? problem : null, () => setProblem(null));

  const queries = useQueryClient();
  const was = useRef(state.kind);
  useEffect(() => {
    // However it was begun again, here or in another tab: what failed meanwhile is asked anew.
    if (was.current === "ended" && state.kind === "in") void queries.invalidateQueries();
    was.current = state.kind;
  }, [state.kind, queries]);

  const out = state.kind === "out";
  useEffect(() => {
    if (out) void navigate({ to: "/login", search: { return_to: here() } as never, replace: true });
  }, [out, navigate]);

  if (problem !== null && unknown) {
    return (
      <Center mih="60vh" component="main">
        <ProblemAlert error={problem} onRetry={() => setProblem(null)} />
      </Center>
    );
  }
  if (state.kind === "unknown" || out) return <Waiting />;
  return (
    <>
      <Inside />
      <EndedDialog state={state} />
    </>
  );
}

function here(): string {
  return location.pathname + location.search;
}

function Waiting() {
  const t = useText();
  return (
    <Center mih="100vh" component="main" aria-busy>
      <Loader aria-label={t.common.loading} />
    </Center>
  );
}

/** Inside loads who is signed in, once for all pages. */
function Inside() {
  const me = useQuery(meQuery);
  const queries = useQueryClient();
  if (me.data) return <Frame />;
  if (me.isError) {
    return (
      <Center mih="60vh" component="main">
        <ProblemAlert error={me.error} onRetry={() => void queries.invalidateQueries({ queryKey: meQuery.queryKey })} />
      </Center>
    );
  }
  return <Waiting />;
}

function Frame() {
  const t = useText();
  const [open, { toggle, close }] = useDisclosure(false);
  useKeptFocus();
  useOrigins();
  useOwnLanguage();
  useLive();
  return (
    <AppShell
      layout="alt"
      header={{ height: 52 }}
      navbar={{ width: 224, breakpoint: "sm", collapsed: { mobile: !open } }}
      padding={{ base: "sm", sm: "lg" }}
    >
      <a className="skip" href="#content">
        {t.common.skip}
      </a>
      <AppShell.Header withBorder={false} bg="var(--page)">
        <Group h="100%" px={{ base: "sm", sm: "lg" }} justify="space-between" wrap="nowrap">
          <Group gap="xs">
            <Burger opened={open} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={t.common.menu} />
            <Text fw={650} hiddenFrom="sm">
              {t.common.product}
            </Text>
          </Group>
          <Group gap="xs" wrap="nowrap" ml="auto">
            <Find />
            <Notices />
            <Menu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" bg="var(--panel)">
        <Group justify="space-between" px={8} pb="md" pt={4}>
          <Group gap={8}>
            <Logo size={24} />
            <Text fw={650} size="lg">
              {t.common.product}
            </Text>
          </Group>
          <Burger opened={open} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={t.common.menu} />
        </Group>
        <ScrollArea>
          <Places onVisit={close} />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <div>
          <Insecure mb="md" />
          <Licensing mb="md" />
          <Allowed />
        </div>
      </AppShell.Main>
    </AppShell>
  );
}

function Places({ onVisit }: { onVisit: () => void }) {
  const t = useText();
  const may = useMay();
  const me = useMe();
  const here = useLocation().pathname;
  // On the page of one thing, the list is marked from which it was opened.
  const pathname = useListOf() ?? here;
  const active = (to: string) => (to === "/" ? pathname === "/" : pathname === to || pathname.startsWith(`${to}/`));
  const words = t.common.navigation;
  return (
    <nav aria-label={words.label}>
      {places(may, me.role).map((group) => (
        <div key={group.text ?? "first"}>
          {group.text ? (
            <Text size="xs" c="dimmed" fw={600} tt="uppercase" px={10} pt="md" pb={4}>
              {words[group.text]}
            </Text>
          ) : null}
          {group.links.map((l) => (
            <NavLink
              key={l.to}
              component={Link}
              to={l.to}
              activeOptions={{ exact: true, includeSearch: false }}
              label={words[l.text]}
              leftSection={<l.icon size={18} stroke={1.6} />}
              active={active(l.to)}
              aria-current={active(l.to) ? "page" : undefined}
              onClick={onVisit}
              styles={{ root: { borderRadius: 8 } }}
            />
          ))}
        </div>
      ))}
    </nav>
  );
}

/** Allowed shows the page, or a refusal where the role does not include it. */
function Allowed() {
  const may = useMay();
  const matches = useMatches();
  const needs = matches.map((m) => m.staticData?.needs).find(Boolean);
  const path = matches.at(-1)?.pathname;
  const router = useRouter();
  // A new page begins at its top, and a screen reader at its content; but who steps from row to row stays at the button,
  // and a page that is one field begins there.
  useEffect(() => {
    if (!path || router.state.location.state.beside || document.activeElement?.hasAttribute("data-first")) return;
    document.getElementById("content")?.focus({ preventScroll: true });
  }, [path, router]);
  return needs && !may(needs) ? <Refused /> : <Outlet />;
}
