import { Button, Skeleton, Text } from "@mantine/core";
import { IconBrandApple, IconBrandWindows, IconDownload, IconTerminal2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { problemOf, reach } from "../api/problem";
import { ProblemAlert } from "../parts/problem";
import { useLanguage, useText } from "../text";
import classes from "./pill.module.css";

/** Program is an agent that this server offers (docs/web-ui.md). */
type Program = { name: string; os: string; arch: string; size_bytes: number; sha256: string };

async function programs(): Promise<Program[]> {
  const response = await reach("/downloads/", { credentials: "omit" });
  if (!response.ok) throw await problemOf(response);
  const body: { items?: Program[] } = await response.json();
  return body.items ?? [];
}

/** here guesses this computer's system, so that its program comes first. */
function here(agent: string): string {
  if (/windows/i.test(agent)) return "windows";
  if (/mac os|macintosh/i.test(agent)) return "darwin";
  return /linux|x11/i.test(agent) ? "linux" : "";
}

const icons: Record<string, typeof IconDownload> = {
  linux: IconTerminal2,
  darwin: IconBrandApple,
  windows: IconBrandWindows,
};

/** Downloads offers the agent, for this computer's system first. */
export function Downloads() {
  const words = useText().agent.trouble;
  const language = useLanguage();
  const query = useQuery({ queryKey: ["downloads"], queryFn: programs, staleTime: 300_000 });
  const system = here(navigator.userAgent);
  const items = [...(query.data ?? [])].sort((a, b) => Number(b.os === system) - Number(a.os === system));
  const size = (bytes: number) =>
    new Intl.NumberFormat(language, { style: "unit", unit: "megabyte", maximumFractionDigits: 1 }).format(bytes / 1e6);
  return (
    <div>
      <Text size="sm" fw={600} mb={6}>
        {words.downloads}
      </Text>
      {query.isPending ? <Skeleton height={36} width={260} /> : null}
      {query.isError ? <ProblemAlert error={query.error} onRetry={() => void query.refetch()} /> : null}
      {query.data && items.length === 0 ? (
        <Text size="sm" c="dimmed">
          {words.noDownloads}
        </Text>
      ) : null}
      <ul className={classes.downloads}>
        {items.map((p) => {
          const Icon = icons[p.os] ?? IconDownload;
          const name = words.systems[p.os] ? `${words.systems[p.os]} ${p.arch}` : p.name;
          return (
            <li key={p.name}>
              <Button
                component="a"
                href={`/downloads/${encodeURIComponent(p.name)}`}
                variant={p.os === system ? "light" : "default"}
                leftSection={<Icon size={16} aria-hidden />}
                title={`SHA-256 ${p.sha256}`}
              >
                {name} · {size(p.size_bytes)}
              </Button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

const policies = [
  { file: "windows.reg", os: "windows" },
  { file: "macos.mobileconfig", os: "darwin" },
  { file: "linux.json", os: "linux" },
];

/** Policies offers the files with which an administrator allows the way to the agent for everybody. */
export function Policies() {
  const words = useText().agent.trouble;
  return (
    <div>
      <Text size="sm" fw={600} mb={6}>
        {words.policies}
      </Text>
      <ul className={classes.downloads}>
        {policies.map(({ file, os }) => {
          const Icon = icons[os] ?? IconDownload;
          return (
            <li key={file}>
              <Button
                component="a"
                href={`/downloads/policies/${file}`}
                variant="default"
                leftSection={<Icon size={16} aria-hidden />}
              >
                {words.systems[os]}
              </Button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
