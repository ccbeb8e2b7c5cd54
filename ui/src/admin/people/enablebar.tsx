import { Button, Text } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask, type Schema } from "../../api/client";
import { ConfirmDialog } from "../../parts/confirm";
import type { Count } from "../../parts/count";
import { everything } from "../../parts/everything";
import { identified } from "../../parts/person";
import { done } from "../../parts/problem";
import { Warning } from "../../parts/warning";
import { useRecent } from "../../session/recent";
import { useLanguage, useText } from "../../text";
import { changed } from "../queries";
import type { Selection } from "../selection";
import { SelectionBar } from "../selectionbar";
import { enableMany } from "./enable";
import type { Filters } from "./filters";
import { peoplePage } from "./list";

type User = Schema<"ListedUser">;
type Props = {
  filter: Filters;
  selection: Selection<User>;
  /** How many the filter finds. */
  matching: Count | undefined;
};

/** EnableBar enables the selected accounts; all that match can be selected. It lies over the list's end, so that nothing moves. */
export function EnableBar({ filter, selection, matching }: Props) {
  const t = useText();
  const words = t.people.enable;
  const format = new Intl.NumberFormat(useLanguage());
  const [asking, setAsking] = useState<readonly User[]>([]);
  const [opened, setOpened] = useState(false);
  const { chosen } = selection;
  const more = matching && (!matching.total_is_exact || matching.total > chosen.length);
  return (
    <>
      <SelectionBar
        selection={selection}
        label={words.region}
        selected={words.selected(format.format(chosen.length))}
        clear={words.clear}
        more={more && (matching.total_is_exact ? t.stock.bulk.all(format.format(matching.total)) : words.all)}
        all={() => everything((cursor, limit) => peoplePage(filter, cursor, limit))}
      >
        <Button
          size="xs"
          leftSection={<IconCircleCheck size={16} aria-hidden />}
          onClick={() => {
            setAsking(chosen);
            setOpened(true);
          }}
        >
          {words.action}
        </Button>
      </SelectionBar>
      <EnableDialog opened={opened} users={asking} onClose={() => setOpened(false)} onDone={selection.clear} />
    </>
  );
}

type DialogProps = { opened: boolean; users: readonly User[]; onClose: () => void; onDone: () => void };

/** EnableDialog names whom it is about, and above all who gets power back. */
function EnableDialog({ opened, users, onClose, onDone }: DialogProps) {
  const words = useText().people.enable;
  const queries = useQueryClient();
  const recently = useRecent();
  const format = new Intl.NumberFormat(useLanguage());
  const powerful = users.filter((u) => u.role !== "user");
  const enable = async () => {
    try {
      const n = await enableMany(
        users.map((u) => u.id),
        (ids) => recently(() => ask(api.POST("/api/admin/users/enable", { body: { ids } }))),
      );
      done(words.done(n, format.format(n)));
      onDone();
    } finally {
      void changed(queries); // also where some were enabled, and then one was refused
    }
  };
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      onConfirm={enable}
      title={words.title(users.length, format.format(users.length))}
      action={words.action}
    >
      <Text size="sm" c="dimmed" lineClamp={3}>
        {names(users)}
      </Text>
      {powerful.length > 0 ? (
        <Warning>
          {words.powerful(powerful.length)} {names(powerful)}
        </Warning>
      ) : null}
      <Text size="sm">{words.text}</Text>
    </ConfirmDialog>
  );
}

const shown = 50;

function names(users: readonly User[]): string {
  const some = users.slice(0, shown).map(identified);
  return some.join(", ") + (users.length > shown ? ", …" : "");
}
