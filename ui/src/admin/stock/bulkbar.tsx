import { Button, Menu } from "@mantine/core";
import { IconChevronDown, IconUserPlus } from "@tabler/icons-react";
import { useState } from "react";
import type { Schema } from "../../api/client";
import type { Count } from "../../parts/count";
import { useMay } from "../../session/hooks";
import { useLanguage, useText } from "../../text";
import { dangerous } from "../colors";
import type { Selection } from "../selection";
import { SelectionBar } from "../selectionbar";
import { BulkDialog, type Job } from "./bulkdialog";
import { can, type Step, stepsFor } from "./change";
import type { TokenStatus } from "./statuses";

type Token = Schema<"HWKey">;

/** What can be selected at once: so many a list is counted to. */
const most = 10_000;

type Props = {
  selection: Selection<Token>;
  /** How many match the filters. */
  matching: Count | undefined;
  /** all asks for them. */
  all: () => Promise<Token[]>;
};

/** isFinal tells the statuses that end a token. */
const isFinal = (status: TokenStatus) => status === "lost" || status === "retired";

/** BulkBar offers what can be done with the selected tokens. It lies over the list's end, so that nothing moves. */
export function BulkBar({ selection, matching, all }: Props) {
  const t = useText();
  const words = t.stock.bulk;
  const format = new Intl.NumberFormat(useLanguage());
  const manyOrganizations = useMay()("create-organization");
  const [job, setJob] = useState<Job | null>(null);
  const [opened, setOpened] = useState(false);
  const tokens = selection.chosen;
  const more = matching?.total_is_exact && matching.total <= most && matching.total > tokens.length;
  const start = (step: Step) => {
    setJob({ step, tokens });
    setOpened(true);
  };
  const steps = stepsFor(tokens);
  const item = (status: TokenStatus) => (
    <Menu.Item
      key={status}
      c={isFinal(status) ? dangerous : undefined}
      onClick={() => start({ kind: "status", status })}
    >
      {words.status[status]}
    </Menu.Item>
  );
  return (
    <>
      <SelectionBar
        selection={selection}
        label={words.region}
        selected={words.selected(format.format(tokens.length))}
        clear={words.clear}
        more={more && words.all(format.format(matching.total))}
        all={all}
      >
        <Button
          size="xs"
          leftSection={<IconUserPlus size={16} aria-hidden />}
          disabled={!tokens.some((token) => can(token, { kind: "assign" }))}
          onClick={() => start({ kind: "assign" })}
        >
          {words.assign}
        </Button>
        <Menu position="top-end" withinPortal>
          <Menu.Target>
            <Button size="xs" variant="default" rightSection={<IconChevronDown size={16} aria-hidden />}>
              {words.more}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {steps.filter((status) => !isFinal(status)).map(item)}
            {tokens.some((token) => can(token, { kind: "takeBack" })) ? (
              <Menu.Item onClick={() => start({ kind: "takeBack" })}>{words.takeBack}</Menu.Item>
            ) : null}
            {manyOrganizations ? <Menu.Item onClick={() => start({ kind: "move" })}>{words.move}</Menu.Item> : null}
            {/* What ends a token stands apart. */}
            {steps.some(isFinal) ? <Menu.Divider /> : null}
            {steps.filter(isFinal).map(item)}
          </Menu.Dropdown>
        </Menu>
      </SelectionBar>
      <BulkDialog opened={opened} job={job} onClose={() => setOpened(false)} onDone={selection.clear} />
    </>
  );
}
