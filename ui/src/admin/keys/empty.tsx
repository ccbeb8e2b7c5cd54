import { Button } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { Empty } from "../../parts/page";
import { useMay } from "../../session/hooks";
import { useText } from "../../text";

/** KeysEmpty stands where the list would be while there is no key to show. */
export function KeysEmpty({ all, onCreate }: { all: boolean; onCreate: () => void }) {
  const words = useText().keys;
  const may = useMay();
  return (
    <Empty
      icon={IconKey}
      title={all ? words.empty.title : words.empty.noneActive}
      text={words.empty.text}
      action={may("create-api-key") ? <Button onClick={onCreate}>{words.create}</Button> : null}
    />
  );
}
