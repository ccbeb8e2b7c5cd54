import { Button, Group } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { Empty } from "../../parts/page";
import { useText } from "../../text";

/** KeysEmpty stands where the list would be while there is no key to show. */
export function KeysEmpty({ all, onCreate, onAll }: { all: boolean; onCreate: () => void; onAll: () => void }) {
  const words = useText().keys;
  return (
    <Empty
      icon={IconKey}
      title={all ? words.empty.title : words.empty.noneActive}
      text={words.empty.text}
      action={
        <Group gap="xs" justify="center">
          <Button onClick={onCreate}>{words.create}</Button>
          {all ? null : (
            <Button variant="default" onClick={onAll}>
              {words.show.all}
            </Button>
          )}
        </Group>
      }
    />
  );
}
