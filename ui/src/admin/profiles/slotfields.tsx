import { Checkbox, Group, Radio, Select, SimpleGrid, Stack, Switch, Text } from "@mantine/core";
import type { Attempt } from "../../parts/attempt";
import type { FormOf } from "../../parts/useform";
import { useText } from "../../text";
import { describe, none } from "../../token/purpose";
import { type SlotName, slotNames } from "../../token/slots";
import { inSlot } from "./draft";
import type { Profile } from "./queries";
import classes from "./slotfields.module.css";
import { inherit, type Preset, planned, presetOf, presets, type SlotDraft, type Stored } from "./slots";

type Props = {
  form: FormOf<SlotDraft>;
  attempt: Attempt;
  profiles: readonly Profile[];
  /** Of an organization: what the installation has. */
  base?: Stored;
};

/** SlotFields chooses what each slot gets, and which of them a set-up fills. */
export function SlotFields({ form, attempt, profiles, base }: Props) {
  const t = useText();
  const words = t.profiles.slots;
  const { values: draft, setValues } = form;
  const choices: readonly Preset[] = base ? ["inherit", "one", "three"] : ["one", "three"];
  return (
    <Stack gap="md">
      <Radio.Group
        label={words.choice}
        value={presetOf(draft) ?? null}
        onChange={(value) => {
          const chosen = choices.find((c) => c === value);
          if (chosen) setValues(presets[chosen]);
        }}
      >
        <SimpleGrid cols={{ base: 1, sm: choices.length }} spacing="xs" mt={6}>
          {choices.map((choice) => (
            <Radio.Card key={choice} value={choice} className={classes.choice} aria-label={words.presets[choice]}>
              <Group wrap="nowrap" align="flex-start" gap="sm">
                <Radio.Indicator mt={2} />
                <div>
                  <Text size="sm" fw={600}>
                    {words.presets[choice]}
                  </Text>
                  <Text size="xs" c="dimmed">
                    {words.presets[`${choice}Hint`]}
                  </Text>
                </div>
              </Group>
            </Radio.Card>
          ))}
        </SimpleGrid>
      </Radio.Group>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm">
        {slotNames.map((slot) => (
          <Slot key={slot} slot={slot} form={form} attempt={attempt} profiles={profiles} base={base} />
        ))}
      </SimpleGrid>
      {base ? (
        <Switch
          label={`${words.plan}: ${words.planInherit}`}
          description={(base.plan ?? []).join(", ")}
          checked={!draft.own_plan}
          onChange={(e) => form.setFieldValue("own_plan", !e.currentTarget.checked)}
        />
      ) : null}
      {draft.own_plan ? (
        <Checkbox.Group
          label={words.plan}
          description={words.planHint}
          value={planned(draft)}
          onChange={(plan) =>
            form.setFieldValue(
              "plan",
              slotNames.filter((slot) => plan.includes(slot)),
            )
          }
          error={attempt.field("plan", form.wrong.plan)}
        >
          <Group gap="lg" my={6}>
            {slotNames.map((slot) => (
              <Checkbox
                key={slot}
                value={slot}
                label={`${slot} · ${t.tokens.slots[slot]}`}
                disabled={draft[slot] === none}
              />
            ))}
          </Group>
        </Checkbox.Group>
      ) : null}
    </Stack>
  );
}

/** Slot chooses the profile of one slot: of those that are for it. */
function Slot({ slot, form, attempt, profiles, base }: Props & { slot: SlotName }) {
  const t = useText();
  const words = t.profiles.slots;
  const value = form.values[slot];
  const inherited = base?.slots[slot] ?? undefined;
  const counts = value === inherit ? inherited : value;
  const said = (name: string) => {
    if (name === none) return t.profiles.unused;
    return describe(t, name, profiles.find((p) => p.name === name)?.description ?? "");
  };
  const data = [
    ...(base ? [{ value: inherit, label: `${words.inherit}: ${inherited === none ? words.none : inherited}` }] : []),
    ...inSlot(profiles, slot).map((p) => ({ value: p.name, label: p.name })),
    { value: none, label: words.none },
  ];
  return (
    <Select
      label={`${slot} · ${t.tokens.slots[slot]}`}
      description={counts ? said(counts) : undefined}
      data={data}
      allowDeselect={false}
      value={value}
      onChange={(name) => {
        if (name) form.setFieldValue(slot, name);
      }}
      error={attempt.field(`slots.${slot}`)}
      renderOption={({ option }) => (
        <div>
          <Text size="sm">{option.label}</Text>
          {option.value === inherit || option.value === none ? null : (
            <Text size="xs" c="dimmed">
              {said(option.value)}
            </Text>
          )}
        </div>
      )}
    />
  );
}
