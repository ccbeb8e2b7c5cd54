import { Stack, Text } from "@mantine/core";
import { Copyable } from "../parts/copy";
import { Field, Fields } from "../parts/fields";
import { Panel } from "../parts/page";
import { When } from "../parts/when";
import { useText } from "../text";
import type { License } from "./standing";

/** Details shows what stands in the stored license. */
export function Details({ license: { license, status } }: { license: License }) {
  const words = useText().license.details;
  return (
    <Panel title={words.title}>
      {license ? (
        <Stack gap="xs">
          {status === "INVALID" ? <Text size="sm">{words.void}</Text> : null}
          <Fields>
            <Field label={words.customer}>{license.customer_name}</Field>
            <Field label={words.email}>{license.customer_email}</Field>
            <Field label={words.type}>{license.license_type}</Field>
            <Field label={words.issued}>
              <When at={license.issue_date} as="day" />
            </Field>
            <Field label={words.expires}>
              <When at={license.expiry_date} as="both" />
            </Field>
          </Fields>
        </Stack>
      ) : (
        <Text size="sm">{words.none}</Text>
      )}
    </Panel>
  );
}

/** Installation shows what the vendor issues a license for. */
export function Installation({ id }: { id: string }) {
  const words = useText().license.installation;
  return (
    <Panel title={words.title}>
      <Stack gap="xs">
        {id ? (
          <Copyable value={id} label={words.title}>
            <span className="mono" style={{ overflowWrap: "anywhere" }}>
              {id}
            </span>
          </Copyable>
        ) : (
          <Text size="sm">{words.unknown}</Text>
        )}
        <Text size="sm" c="dimmed">
          {words.text}
        </Text>
      </Stack>
    </Panel>
  );
}
