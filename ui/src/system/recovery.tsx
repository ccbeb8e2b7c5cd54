import { Button, Group, List, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconHistory } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { api, ask, type Schema } from "../api/client";
import { isProblem } from "../api/problem";
import { ConfirmDialog } from "../parts/confirm";
import { Panel } from "../parts/page";
import { done } from "../parts/problem";
import { exact, When } from "../parts/when";
import { useMay } from "../session/hooks";
import { useRecent } from "../session/recent";
import { useLanguage, useText } from "../text";
import { lacking } from "./lacking";

type Older = NonNullable<Schema<"RecoveryReport">["vault"]>;

/** toldOf names the parts of the service of which the report tells why they are not as they should be. */
export function toldOf(report?: Schema<"RecoveryReport">): string[] {
  return [...(report?.vault ? ["vault"] : []), ...(report?.altered.length ? ["database"] : [])];
}

/** Recovery says why secrets and signatures are held back, and what to do; nothing when they are not. */
export function Recovery({ report }: { report: Schema<"RecoveryReport"> }) {
  return (
    <>
      {report.altered.length > 0 ? <Altered found={report.altered} /> : null}
      {report.vault ? <OlderVault vault={report.vault} /> : null}
    </>
  );
}

function Altered({ found }: { found: string[] }) {
  const words = useText().system.recovery;
  return (
    <Alarm icon={IconAlertTriangle} title={words.altered.title}>
      <Text size="sm">{words.altered.happened}</Text>
      <Part title={words.found}>
        <List size="sm">
          {found.map((what) => (
            <List.Item key={what} className="mono" style={{ overflowWrap: "anywhere" }}>
              {what}
            </List.Item>
          ))}
        </List>
      </Part>
      <Held />
      <Todo steps={words.altered.todo} />
    </Alarm>
  );
}

function OlderVault({ vault }: { vault: Older }) {
  const words = useText().system.recovery;
  const language = useLanguage();
  const may = useMay();
  const [asking, setAsking] = useState(false);
  return (
    <Alarm icon={IconHistory} title={words.vault.title}>
      <Text size="sm">
        {words.vault.happened} {words.foundAt} <When at={vault.found_at} as="both" />.
      </Text>
      <Part title={words.vault.lacks}>
        <List size="sm">
          {vault.lacks.map((l) => {
            const said = lacking(l, words, (at) => exact(at, language));
            return (
              <List.Item key={l.what} style={{ overflowWrap: "anywhere" }}>
                {said.text}
                {said.names ? (
                  <>
                    : <span className="mono">{said.names}</span>
                  </>
                ) : null}
              </List.Item>
            );
          })}
        </List>
      </Part>
      <Held />
      <Todo steps={words.vault.todo} />
      {may("system-recover") ? (
        <Group>
          <Button color="red" variant="light" onClick={() => setAsking(true)}>
            {words.vault.accept}
          </Button>
        </Group>
      ) : null}
      <Accept opened={asking} onClose={() => setAsking(false)} />
    </Alarm>
  );
}

function Accept({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const words = useText().system.recovery.vault;
  const queries = useQueryClient();
  const recently = useRecent();
  const accept = async () => {
    try {
      await recently(() => ask(api.POST("/api/admin/system/recover", { body: { accept_older: "vault" } })));
      done(words.accepted);
    } catch (error) {
      if (!isProblem(error, "conflict")) throw error; // accepted by somebody else, or the right one is back
      done(words.over);
    } finally {
      void queries.invalidateQueries({ queryKey: ["system"] });
    }
  };
  return (
    <ConfirmDialog opened={opened} onClose={onClose} onConfirm={accept} title={words.ask} action={words.confirm} danger>
      {words.consequences.map((text) => (
        <Text size="sm" key={text}>
          {text}
        </Text>
      ))}
    </ConfirmDialog>
  );
}

function Held() {
  const words = useText().system.recovery;
  return (
    <Part title={words.held}>
      <Text size="sm">{words.heldText}</Text>
    </Part>
  );
}

function Todo({ steps }: { steps: string[] }) {
  const words = useText().system.recovery;
  return (
    <Part title={words.todo}>
      <List size="sm" type="ordered">
        {steps.map((step) => (
          <List.Item key={step}>{step}</List.Item>
        ))}
      </List>
    </Part>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <Text component="h3" size="sm" fw={600} m={0} mb={4}>
        {title}
      </Text>
      {children}
    </div>
  );
}

function Alarm({ icon: Icon, title, children }: { icon: typeof IconHistory; title: string; children: ReactNode }) {
  return (
    <Panel
      title={
        <Group gap="xs" component="span" wrap="nowrap">
          <Icon size={20} color="var(--mantine-color-red-text)" style={{ flexShrink: 0 }} aria-hidden />
          {title}
        </Group>
      }
    >
      <Stack gap="sm" maw={760}>
        {children}
      </Stack>
    </Panel>
  );
}
