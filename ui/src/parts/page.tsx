import { Alert, Box, type BoxProps, Button, Card, Group, Skeleton, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { IconCompass } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import { type ComponentType, type ReactNode, type Ref, useEffect } from "react";
import { useText } from "../text";
import { explain, ProblemAlert } from "./problem";

type PageProps = {
  title: string;
  /** A link to what the page is a part of, above the title. */
  crumb?: ReactNode;
  actions?: ReactNode;
  /** They stand in a line of their own on narrow screens, since they change their width. */
  below?: boolean;
  children: ReactNode;
};

/** Page is a page's frame: its title, what can be done, and the content. */
export function Page({ title, crumb, actions, below = false, children }: PageProps) {
  const t = useText();
  useEffect(() => {
    document.title = `${title} · ${t.common.product}`;
  }, [title, t]);
  return (
    <Stack gap="md">
      <Group justify="space-between" align="center" mih={36}>
        <div>
          {crumb}
          <Title order={1} dir="auto">
            {title}
          </Title>
        </div>
        {actions ? (
          <Group gap="xs" w={below ? { base: "100%", sm: "auto" } : undefined}>
            {actions}
          </Group>
        ) : null}
      </Group>
      {children}
    </Stack>
  );
}

/** Missing is the whole page where there is nothing at an address, or nothing for this person. back: the way out. */
export function Missing({ title, text, back }: { title: string; text: string; back: ReactNode }) {
  return (
    <Page title={title}>
      <Card component="section">
        <Empty icon={IconCompass} title={text} action={back} />
      </Card>
    </Page>
  );
}

type PanelProps = {
  title?: ReactNode;
  aside?: ReactNode;
  /** For a heading that takes the focus when the panel appears. */
  heading?: Ref<HTMLHeadingElement>;
  children: ReactNode;
};

/** Panel is a card with a heading. */
export function Panel({ title, aside, heading, children }: PanelProps) {
  return (
    <Card component="section">
      {title ? (
        <Group justify="space-between" mb="sm">
          <Title order={2} ref={heading} tabIndex={heading ? -1 : undefined}>
            {title}
          </Title>
          {aside}
        </Group>
      ) : null}
      {children}
    </Card>
  );
}

/** Empty says that there is nothing yet, and what to do next. */
export function Empty({
  icon: Icon,
  title,
  text,
  action,
}: {
  icon: ComponentType<{ size?: number }>;
  title: string;
  text?: string;
  action?: ReactNode;
}) {
  return (
    <Stack align="center" gap="xs" py="xl" ta="center">
      <ThemeIcon size={48} radius="xl" variant="light" aria-hidden>
        <Icon size={26} />
      </ThemeIcon>
      <Text fw={600} component="p" m={0}>
        {title}
      </Text>
      {text ? (
        <Text size="sm" c="dimmed" maw={440}>
          {text}
        </Text>
      ) : null}
      {action ? <Box mt="xs">{action}</Box> : null}
    </Stack>
  );
}

/** Outdated says, above what a query gave, that it could not be refreshed and why. */
export function Outdated({ query }: { query: UseQueryResult<unknown> }) {
  const t = useText();
  if (!query.isRefetchError) return null;
  const { detail, requestId } = explain(query.error);
  return (
    <Alert role="status" color="orange" variant="light" p="xs" mb="sm">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          {t.common.problem.outdated} {detail}
          {requestId ? (
            <Text span size="xs" c="dimmed">
              {" "}
              {t.common.problem.requestId} <span className="mono">{requestId}</span>
            </Text>
          ) : null}
        </Text>
        <Button size="compact-sm" variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
          {t.common.actions.retry}
        </Button>
      </Group>
    </Alert>
  );
}

/** Loaded shows a query's data, a skeleton of the right height before, or its error. */
export function Loaded<T>({
  query,
  height = 240,
  wait = false,
  shown,
  children,
}: {
  query: UseQueryResult<T>;
  /** In pixels, by the width of the screen where it depends on that. */
  height?: BoxProps["h"];
  /** What belongs beside it is not there yet. */
  wait?: boolean;
  /** The fields below which it stands what is wrong with them. */
  shown?: readonly string[];
  children: (data: T) => ReactNode;
}) {
  const t = useText();
  if (query.data !== undefined && !wait) {
    return (
      <>
        <Outdated query={query} />
        {children(query.data)}
      </>
    );
  }
  if (query.isError) {
    return <ProblemAlert error={query.error} shown={shown} onRetry={() => void query.refetch()} />;
  }
  return (
    <div role="status" aria-label={t.common.loading}>
      <Skeleton h={height} radius="lg" />
    </div>
  );
}
