import { Text, ThemeIcon } from "@mantine/core";
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleMinus,
  IconCircleX,
  IconClockExclamation,
} from "@tabler/icons-react";
import type { Schema } from "../api/client";
import { Panel } from "../parts/page";
import { Status } from "../parts/status";
import { useLanguage, useText } from "../text";
import { say } from "../text/say";
import { milliseconds, share } from "./measure";
import { Meter, type Tone } from "./meter";
import classes from "./meter.module.css";

type Part = Schema<"ComponentReport">;

const looks = {
  ok: { color: "accent", tone: "good", icon: IconCircleCheck },
  not_configured: { color: "gray", tone: "other", icon: IconCircleMinus },
  degraded: { color: "orange", tone: "warn", icon: IconAlertTriangle },
  timed_out: { color: "red", tone: "bad", icon: IconClockExclamation },
  failed: { color: "red", tone: "bad", icon: IconCircleX },
} satisfies Record<Part["status"], { color: string; tone: Tone; icon: typeof IconCircleX }>;

/** Components lists every part of the service, how it stands and how quickly it answered. Of told parts the page says why above. */
export function Components({ parts, told }: { parts: Part[]; told: string[] }) {
  const t = useText().system;
  return (
    <Panel title={t.components.title}>
      <ul style={{ listStyle: "none", margin: 0, padding: 0 }}>
        {parts.map((part) => (
          <Line key={part.name} part={part} told={told.includes(part.name)} />
        ))}
      </ul>
    </Panel>
  );
}

function Line({ part, told }: { part: Part; told: boolean }) {
  const { system: t, findings } = useText();
  const language = useLanguage();
  const said = say({ code: part.code ?? "", params: part.params ?? {}, text: part.detail }, findings, language);
  const look = looks[part.status];
  const took = milliseconds(part.latency_ms, language);
  return (
    <li className={classes.row}>
      <ThemeIcon variant="transparent" color={look.color} size={22} aria-hidden>
        <look.icon size={20} stroke={1.8} />
      </ThemeIcon>
      <div style={{ minWidth: 0 }}>
        <Text size="sm" fw={600} style={{ hyphens: "auto", overflowWrap: "anywhere" }}>
          {t.components.names[part.name] ?? part.name}
        </Text>
        {part.detail ? <Text size="sm">{told ? t.components.told : said}</Text> : null}
      </div>
      <div className={classes.measure}>
        {part.status === "ok" ? (
          <Text size="xs" c="dimmed" className="numbers">
            {t.status.ok} · {took}
          </Text>
        ) : (
          <Status color={look.color} icon={look.icon}>
            {t.status[part.status]}
          </Status>
        )}
        <Meter thin label={t.components.latency(took)} parts={[{ share: share(part.latency_ms), tone: look.tone }]} />
      </div>
    </li>
  );
}
