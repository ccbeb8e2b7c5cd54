import { IconBan, IconCircleCheck } from "@tabler/icons-react";
import type { Schema } from "../../api/client";
import { Status } from "../../parts/status";
import { useText } from "../../text";

/** Standing is an organization's status. */
export function Standing({ organization: o }: { organization: Schema<"Organization"> }) {
  const words = useText().people.states;
  return o.is_active ? (
    <Status color="accent" icon={IconCircleCheck}>
      {words.active}
    </Status>
  ) : (
    <Status color="gray" icon={IconBan}>
      {words.disabled}
    </Status>
  );
}
