import { SegmentedControl, Select, SimpleGrid, Stack, Switch, Text, TextInput } from "@mantine/core";
import { Field, Fields } from "../../parts/fields";
import { Panel } from "../../parts/page";
import { SecretField } from "../../parts/secret";
import { Warning } from "../../parts/warning";
import { NumberField } from "../../system/policy/number";
import { useText } from "../../text";
import { asLock, inTheOpen, type Part } from "../draft";
import { TestConnection } from "./test";

/** Store says where backups go. */
export function Store({ form, stored, dirty }: Part & { dirty: boolean }) {
  const { values: draft } = form;
  const words = useText().backups.settings.store;
  return (
    <Panel title={words.title}>
      <Stack>
        <SegmentedControl
          aria-label={words.label}
          fullWidth
          value={draft.store}
          onChange={(v) => form.setFieldValue("store", v === "s3" ? "s3" : "directory")}
          data={[
            { value: "directory", label: words.directory },
            { value: "s3", label: words.s3 },
          ]}
        />
        {draft.store === "directory" ? (
          <>
            {stored.store === "directory" && stored.location ? (
              <Fields>
                <Field label={words.location}>
                  <span className="mono">{stored.location}</span>
                </Field>
              </Fields>
            ) : null}
            <Text size="sm" c="dimmed">
              {words.directoryHint}
            </Text>
          </>
        ) : (
          <Bucket form={form} stored={stored} />
        )}
        <TextInput
          label={words.prefix}
          description={words.prefixHint}
          maxLength={960}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps("prefix")}
        />
        {draft.store === "s3" ? <Protection form={form} /> : null}
        <TestConnection dirty={dirty} />
      </Stack>
    </Panel>
  );
}

function Bucket({ form, stored }: Part) {
  const { values: draft } = form;
  const words = useText().backups.settings.store;
  return (
    <>
      <TextInput
        type="url"
        label={words.endpoint}
        description={words.endpointHint}
        placeholder="https://"
        maxLength={1024}
        spellCheck={false}
        {...form.getInputProps("s3_endpoint")}
        onChange={(e) => {
          const s3_endpoint = e.currentTarget.value;
          // Stores other than Amazon's mostly have no host for each bucket.
          const first = draft.s3_endpoint === "" && s3_endpoint !== "";
          form.setValues({ s3_endpoint, ...(first && { use_path_style: true }) });
        }}
      />
      {inTheOpen(draft.s3_endpoint) ? <Warning role="alert">{words.plainWarning}</Warning> : null}
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={words.bucket} maxLength={255} spellCheck={false} required {...form.getInputProps("bucket")} />
        <TextInput
          label={words.region}
          placeholder="eu-central-1"
          maxLength={64}
          spellCheck={false}
          {...form.getInputProps("region")}
        />
        <TextInput
          label={words.keyId}
          maxLength={255}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps("access_key_id")}
        />
        <SecretField
          words={words.secret}
          stored={stored.secret_access_key_set}
          {...form.getInputProps("secret_access_key")}
        />
      </SimpleGrid>
      <Switch
        label={words.pathStyle}
        description={words.pathStyleHint}
        {...form.getInputProps("use_path_style", { type: "checkbox" })}
      />
      <Switch label={words.insecure} {...form.getInputProps("insecure_tls", { type: "checkbox" })} />
      {draft.insecure_tls ? <Warning role="alert">{words.insecureWarning}</Warning> : null}
    </>
  );
}

/** Protection is what the store itself does for the files. */
function Protection({ form }: Pick<Part, "form">) {
  const { values: draft } = form;
  const words = useText().backups.settings.store;
  const options = (texts: Record<string, string>) => Object.entries(texts).map(([value, label]) => ({ value, label }));
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={words.lock}
          description={words.lockHint}
          data={options(words.locks)}
          allowDeselect={false}
          {...form.getInputProps("object_lock_mode")}
          onChange={(v) =>
            form.setValues({ object_lock_mode: asLock(v), object_lock_days: draft.object_lock_days || 30 })
          }
        />
        <Select
          label={words.encryption}
          description={words.encryptionHint}
          data={options(words.encryptions)}
          allowDeselect={false}
          {...form.getInputProps("encryption")}
        />
      </SimpleGrid>
      {draft.object_lock_mode ? (
        <NumberField label={words.lockDays} min={1} max={36_500} {...form.getInputProps("object_lock_days")} />
      ) : null}
      {draft.object_lock_mode && draft.object_lock_days > draft.retention_days ? (
        <Text size="sm">{words.lockLonger}</Text>
      ) : null}
      {draft.encryption === "aws:kms" ? (
        <TextInput label={words.kms} maxLength={2048} spellCheck={false} {...form.getInputProps("kms_key_id")} />
      ) : null}
    </>
  );
}
