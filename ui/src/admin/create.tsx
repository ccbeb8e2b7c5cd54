import { Button, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { Page } from "../parts/page";
import { useGranted } from "../parts/wish";
import { useMay } from "../session/hooks";

type Props = {
  words: { title: string; create: string; intro: string };
  /** The operation that makes a thing; without it there is no button. */
  operation: Parameters<ReturnType<typeof useMay>>[0];
  /** The dialog that makes one. */
  dialog: (dialog: { opened: boolean; onClose: () => void }) => ReactNode;
  /** What brings somebody here to make one. */
  wish: string;
  children: (onCreate: () => void) => ReactNode;
};

/** CreatingPage is the page of things that are made here: what they are for, a button for a new one, and the list. */
export function CreatingPage({ words, operation, dialog, wish, children }: Props) {
  const may = useMay();
  const [opened, setOpened] = useState(false);
  const create = () => setOpened(true);
  useGranted(wish, create);
  return (
    <Page
      title={words.title}
      actions={
        may(operation) ? (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={create}>
            {words.create}
          </Button>
        ) : null
      }
    >
      <Text size="sm" c="dimmed" maw={720}>
        {words.intro}
      </Text>
      {children(create)}
      {dialog({ opened, onClose: () => setOpened(false) })}
    </Page>
  );
}
