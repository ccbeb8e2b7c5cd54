import { Button, CloseButton, Menu, Text } from "@mantine/core";
import { IconChevronDown, IconUserPlus } from "@tabler/icons-react";
import { useState } from "react";
import type { Schema } from "../../api/client";
import { useMay } from "../../session/hooks";
import { useLanguage, useText } from "../../text";
import styles from "../bulk.module.css";
import { dangerous } from "../colors";
import type { Selection } from "../selection";
import { BulkDialog, type Job } from "./bulkdialog";
import { can, type Step, stepsFor } from "./change";

const most = 1000;

/** BulkBar offers what can be done with the selected tokens. It lies over the list's end, so that nothing moves. */
export function BulkBar({ selection }: { selection: Selection<Schema<"HWKey">> }) {
  const t = useText();
  const words = t.stock.bulk;
  const format = new Intl.NumberFormat(useLanguage());
  const manyOrganizations = useMay()("create-organization");
  const [job, setJob] = useState<Job | null>(null);
  const [opened, setOpened] = useState(false);
  const tokens = selection.chosen;
  const start = (step: Step) => {
    setJob({ step, tokens });
    setOpened(true);
  };
  const tooMany = tokens.length > most;
  return (
    <>
      {tokens.length > 0 ? (
        <section className={styles.bar} aria-label={words.region}>
          <Text size="sm" fw={600} className="numbers" role="status">
            {words.selected(format.format(tokens.length))}
          </Text>
          {tooMany ? (
            <Text size="sm" c="dimmed">
              {words.tooMany}
            </Text>
          ) : null}
          <Button
            size="xs"
            leftSection={<IconUserPlus size={16} aria-hidden />}
            disabled={tooMany || !tokens.some((token) => can(token, { kind: "assign" }))}
            onClick={() => start({ kind: "assign" })}
          >
            {words.assign}
          </Button>
          <Menu position="top-end" withinPortal>
            <Menu.Target>
              <Button
                size="xs"
                variant="default"
                disabled={tooMany}
                rightSection={<IconChevronDown size={16} aria-hidden />}
              >
                {words.more}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {stepsFor(tokens).map((status) => (
                <Menu.Item
                  key={status}
                  c={status === "lost" || status === "retired" ? dangerous : undefined}
                  onClick={() => start({ kind: "status", status })}
                >
                  {words.status[status]}
                </Menu.Item>
              ))}
              {tokens.some((token) => can(token, { kind: "takeBack" })) ? (
                <Menu.Item onClick={() => start({ kind: "takeBack" })}>{words.takeBack}</Menu.Item>
              ) : null}
              {manyOrganizations ? <Menu.Item onClick={() => start({ kind: "move" })}>{words.move}</Menu.Item> : null}
            </Menu.Dropdown>
          </Menu>
          <CloseButton size="sm" aria-label={words.clear} onClick={selection.clear} />
        </section>
      ) : null}
      <BulkDialog opened={opened} job={job} onClose={() => setOpened(false)} onDone={selection.clear} />
    </>
  );
}
