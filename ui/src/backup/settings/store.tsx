import { Alert, SegmentedControl, Select, SimpleGrid, Stack, Switch, Text, TextInput } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Field, Fields } from "../../parts/fields";
import { Panel } from "../../parts/page";
import { SecretField } from "../../parts/secret";
import { NumberField } from "../../system/policy/number";
import { useText } from "../../text";
import { asEncryption, asLock, inTheOpen, type Part } from "../draft";
import { TestConnection } from "./test";

/** Store says where backups go. */
export function Store(part: Part) {
  const { draft, stored, onChange, wrong } = part;
  const words = useText().backups.settings.store;
  return (
    <Panel title={words.title}>
      <Stack>
        <SegmentedControl
          aria-label={words.label}
          fullWidth
          value={draft.store}
          onChange={(v) => onChange({ store: v === "s3" ? "s3" : "directory" })}
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
          <Bucket {...part} />
        )}
        <TextInput
          label={words.prefix}
          description={words.prefixHint}
          maxLength={960}
          autoComplete="off"
          spellCheck={false}
          value={draft.prefix}
          error={wrong("prefix")}
          onChange={(e) => onChange({ prefix: e.currentTarget.value })}
        />
        {draft.store === "s3" ? <Protection {...part} /> : null}
        <TestConnection {...part} />
      </Stack>
    </Panel>
  );
}

function Bucket({ draft, stored, onChange, wrong }: Part) {
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
        value={draft.s3_endpoint}
        error={wrong("s3_endpoint")}
        onChange={(e) => {
          const s3_endpoint = e.currentTarget.value;
          // Stores other than Amazon's mostly have no host for each bucket.
          const first = draft.s3_endpoint === "" && s3_endpoint !== "";
          onChange({ s3_endpoint, ...(first && { use_path_style: true }) });
        }}
      />
      {inTheOpen(draft.s3_endpoint) ? (
        <Alert role="alert" color="orange" variant="light" icon={<IconAlertTriangle aria-hidden />}>
          <Text size="sm">{words.plainWarning}</Text>
        </Alert>
      ) : null}
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={words.bucket}
          maxLength={255}
          spellCheck={false}
          required
          withAsterisk={false}
          value={draft.bucket}
          error={wrong("bucket")}
          onChange={(e) => onChange({ bucket: e.currentTarget.value })}
        />
        <TextInput
          label={words.region}
          placeholder="eu-central-1"
          maxLength={64}
          spellCheck={false}
          value={draft.region}
          error={wrong("region")}
          onChange={(e) => onChange({ region: e.currentTarget.value })}
        />
        <TextInput
          label={words.keyId}
          maxLength={255}
          autoComplete="off"
          spellCheck={false}
          value={draft.access_key_id}
          error={wrong("access_key_id")}
          onChange={(e) => onChange({ access_key_id: e.currentTarget.value })}
        />
        <SecretField
          words={words.secret}
          secret={draft.secret}
          stored={stored.secret_access_key_set}
          onChange={(secret) => onChange({ secret })}
          error={wrong("secret_access_key")}
        />
      </SimpleGrid>
      <Switch
        label={words.pathStyle}
        description={words.pathStyleHint}
        checked={draft.use_path_style}
        onChange={(e) => onChange({ use_path_style: e.currentTarget.checked })}
      />
      <Switch
        label={words.insecure}
        checked={draft.insecure_tls}
        error={wrong("insecure_tls")}
        onChange={(e) => onChange({ insecure_tls: e.currentTarget.checked })}
      />
      {draft.insecure_tls ? (
        <Alert role="alert" color="orange" variant="light" icon={<IconAlertTriangle aria-hidden />}>
          <Text size="sm">{words.insecureWarning}</Text>
        </Alert>
      ) : null}
    </>
  );
}

/** Protection is what the store itself does for the files. */
function Protection({ draft, onChange, wrong }: Part) {
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
          value={draft.object_lock_mode}
          error={wrong("object_lock_mode")}
          onChange={(v) => onChange({ object_lock_mode: asLock(v), object_lock_days: draft.object_lock_days || 30 })}
        />
        <Select
          label={words.encryption}
          description={words.encryptionHint}
          data={options(words.encryptions)}
          allowDeselect={false}
          value={draft.encryption}
          error={wrong("encryption")}
          onChange={(v) => onChange({ encryption: asEncryption(v) })}
        />
      </SimpleGrid>
      {draft.object_lock_mode ? (
        <NumberField
          label={words.lockDays}
          min={1}
          max={36_500}
          value={draft.object_lock_days}
          error={wrong("object_lock_days")}
          onChange={(object_lock_days) => onChange({ object_lock_days })}
        />
      ) : null}
      {draft.object_lock_mode && draft.object_lock_days > draft.retention_days ? (
        <Text size="sm">{words.lockLonger}</Text>
      ) : null}
      {draft.encryption === "aws:kms" ? (
        <TextInput
          label={words.kms}
          maxLength={2048}
          spellCheck={false}
          value={draft.kms_key_id}
          error={wrong("kms_key_id")}
          onChange={(e) => onChange({ kms_key_id: e.currentTarget.value })}
        />
      ) : null}
    </>
  );
}
