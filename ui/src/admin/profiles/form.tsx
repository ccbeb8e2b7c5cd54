import { Checkbox, Fieldset, Group, Select, SimpleGrid, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { useMemo, useState } from "react";
import type { Attempt } from "../../parts/attempt";
import { Form } from "../../parts/form";
import { type FormOf, useForm } from "../../parts/useform";
import { useText } from "../../text";
import { slotNames } from "../../token/slots";
import {
  attestations,
  type Draft,
  keyTypes,
  keyUsages,
  pinPolicies,
  previewOf,
  principals,
  roles,
  sids,
  touchPolicies,
} from "./draft";
import { OrganizationsSelect } from "./organizations";
import { Preview } from "./preview";
import classes from "./preview.module.css";
import { Purposes } from "./purposes";

type Props = {
  first: Draft;
  /** A profile's name never changes. */
  named: boolean;
  submit: string;
  attempt: Attempt;
  onSubmit: (draft: Draft) => Promise<void>;
  onCancel: () => void;
};

/** ProfileForm holds the fields of a profile, new or not. */
export function ProfileForm({ first, named, submit, attempt, onSubmit, onCancel }: Props) {
  const { form: words, preview } = useText().profiles;
  const form = useForm(attempt, first);
  const { values } = form;
  const previewed = useMemo(() => previewOf(values), [values]);
  return (
    <Form
      attempt={attempt}
      onSubmit={() => onSubmit(values)}
      submit={submit}
      disabled={!values.name.trim()}
      onCancel={onCancel}
    >
      {named ? (
        <Text size="sm" c="dimmed">
          {words.editHint}
        </Text>
      ) : (
        <TextInput
          label={words.name}
          description={words.nameHint}
          required
          maxLength={40}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          {...form.getInputProps("name")}
        />
      )}
      <TextInput
        label={words.description}
        description={words.descriptionHint}
        maxLength={256}
        autoComplete="off"
        {...form.getInputProps("description")}
      />
      <div className={classes.beside}>
        <Stack>
          <Uses form={form} />
          <Names form={form} attempt={attempt} />
          <Keys form={form} />
          <Who form={form} />
        </Stack>
        <Fieldset legend={preview.title} className={classes.follows}>
          <Preview profile={previewed} />
        </Fieldset>
      </div>
    </Form>
  );
}

type Part = { form: FormOf<Draft> };

function Uses({ form }: Part) {
  const t = useText();
  const words = t.profiles.form;
  return (
    <Fieldset legend={words.use}>
      <Stack gap="sm">
        <Checks
          label={words.slots}
          options={slotNames.map((slot) => [slot, `${slot} · ${t.tokens.slots[slot]}`])}
          {...form.getInputProps("slots")}
        />
        <Checks
          label={words.keyUsage}
          description={words.keyUsageHint}
          options={keyUsages.map((usage) => [usage, t.profiles.keyUsages[usage], usage])}
          {...form.getInputProps("key_usage")}
        />
        <Purposes {...form.getInputProps("extended_key_usage")} />
      </Stack>
    </Fieldset>
  );
}

function Names({ form, attempt }: Part & { attempt: Attempt }) {
  const words = useText().profiles.form;
  const { values } = form;
  const [dns, setDns] = useState("");
  const [uri, setUri] = useState("");
  const text = { autoComplete: "off", spellCheck: false, maxLength: 200 } as const;
  const tags = { splitChars: [",", " "], acceptValueOnBlur: true, maxTags: 20, description: words.literalHint };
  return (
    <Fieldset legend={words.names}>
      <Stack gap="sm">
        <TextInput
          label={words.commonName}
          description={words.templateHint}
          {...text}
          {...form.getInputProps("common_name")}
          error={attempt.field("subject.common_name")}
        />
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
          <TextInput
            label={words.organization}
            {...text}
            {...form.getInputProps("subject_organization")}
            error={attempt.field("subject.organization")}
          />
          <TextInput
            label={words.unit}
            {...text}
            {...form.getInputProps("organizational_unit")}
            error={attempt.field("subject.organizational_unit")}
          />
          <TextInput
            label={words.country}
            placeholder={words.countryHint}
            {...text}
            maxLength={2}
            {...form.getInputProps("country")}
            error={attempt.field("subject.country")}
          />
        </SimpleGrid>
        <Checkbox.Group
          label={words.sans}
          value={(["email", "upn"] as const).filter((name) => values[name])}
          onChange={(names) => form.setValues({ email: names.includes("email"), upn: names.includes("upn") })}
          error={attempt.field("sans")}
        >
          <Group gap="lg" my={6}>
            <Checkbox value="email" label={words.email} />
            <Checkbox value="upn" label={words.upn} />
          </Group>
        </Checkbox.Group>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <Select
            label={words.principal}
            data={[
              { value: "", label: words.noPrincipal },
              ...principals.map((value) => ({ value, label: words.principals[value] })),
            ]}
            allowDeselect={false}
            {...form.getInputProps("principal")}
            onChange={(value) => form.setFieldValue("principal", value ?? "")}
          />
          <Select
            label={words.sid}
            data={sids.map((value) => ({ value, label: words.sids[value] }))}
            allowDeselect={false}
            {...form.getInputProps("sid")}
          />
          <TagsInput
            label={words.dns}
            {...tags}
            searchValue={dns}
            onSearchChange={setDns}
            {...form.getInputProps("dns")}
          />
          <TagsInput
            label={words.uris}
            {...tags}
            searchValue={uri}
            onSearchChange={setUri}
            {...form.getInputProps("uris")}
          />
        </SimpleGrid>
      </Stack>
    </Fieldset>
  );
}

function Keys({ form }: Part) {
  const t = useText();
  const words = t.profiles.form;
  const { pinPolicies: pins, touchPolicies: touches } = t.certificates.detail.attestation;
  return (
    <Fieldset legend={words.keys}>
      <Stack gap="sm">
        <Checks
          label={words.keyTypes}
          description={words.keyTypesHint}
          options={keyTypes.map((type) => [type, type.toUpperCase()])}
          {...form.getInputProps("key_types")}
        />
        <Checks
          label={words.pin}
          description={words.policiesHint}
          options={pinPolicies.map((policy) => [policy, pins[policy]])}
          {...form.getInputProps("pin_policies")}
        />
        <Checks
          label={words.touch}
          description={words.policiesHint}
          options={touchPolicies.map((policy) => [policy, touches[policy]])}
          {...form.getInputProps("touch_policies")}
        />
        <Select
          label={words.attestation}
          data={attestations.map((value) => ({ value, label: words.attestations[value] }))}
          allowDeselect={false}
          {...form.getInputProps("attestation")}
        />
      </Stack>
    </Fieldset>
  );
}

function Who({ form }: Part) {
  const t = useText();
  const words = t.profiles.form;
  return (
    <Fieldset legend={words.who}>
      <Stack gap="sm">
        <OrganizationsSelect {...form.getInputProps("organizations")} />
        <Checks
          label={words.roles}
          description={words.rolesHint}
          options={roles.map((role) => [role, t.common.roles[role]])}
          {...form.getInputProps("roles")}
        />
        <TextInput
          label={words.ttl}
          description={words.ttlHint}
          maxLength={32}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps("ttl")}
        />
      </Stack>
    </Fieldset>
  );
}

type ChecksProps = Omit<Parameters<typeof Checkbox.Group>[0], "children"> & {
  /** Each with its words, and its name where that is said, too. */
  options: readonly (readonly [value: string, label: string, name?: string])[];
};

/** Checks are some of a few. */
function Checks({ options, ...group }: ChecksProps) {
  return (
    <Checkbox.Group {...group}>
      <Group gap="6px 20px" my={6}>
        {options.map(([value, label, name]) => (
          <Checkbox
            key={value}
            value={value}
            label={
              <>
                {label}
                {name ? (
                  <Text span size="xs" c="dimmed">
                    {" "}
                    {name}
                  </Text>
                ) : null}
              </>
            }
          />
        ))}
      </Group>
    </Checkbox.Group>
  );
}
