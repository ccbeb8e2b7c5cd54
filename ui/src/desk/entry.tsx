import { Combobox, Group, Loader, Text, TextInput, useCombobox } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconScan } from "@tabler/icons-react";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type Ref, useState } from "react";
import { api, ask, type Schema } from "../api/client";
import type { Attempt } from "../parts/attempt";
import { Free } from "../parts/free";
import { identified } from "../parts/person";
import { AttemptAlert } from "../parts/problem";
import { useText } from "../text";
import { deviceQuery } from "../token/data";
import { decide } from "./decide";

type Person = Schema<"User">;

const most = 6;

/** peopleQuery finds whom a token may be given to. */
function peopleQuery(q: string) {
  return {
    queryKey: ["users", "desk", q] as const,
    queryFn: () => ask(api.GET("/api/admin/users", { params: { query: { q, is_active: true, limit: most } } })),
  };
}

type Props = {
  attempt: Attempt;
  /** What is to be done now. */
  title: ReactNode;
  /** What was done last, or what stands in the way. */
  said: string;
  /** Where that leads. */
  lead: ReactNode;
  onSaid: (said: string) => void;
  /** Serial numbers in the queue and in this computer. */
  here: readonly string[];
  field: Ref<HTMLInputElement>;
  onPerson: (person: Person) => Promise<boolean>;
  /** device: its record, where there is one. */
  onToken: (serial: string, device: Schema<"HWKey"> | null) => void;
  /** Enter, with nothing in the field. */
  onNothing: () => void;
};

/**
 * Entry is the one field of the desk. It takes names and serial numbers, typed or scanned; Enter takes the only hit, and
 * the focus stays.
 */
export function Entry({ attempt, title, said, lead, onSaid, here, field, onPerson, onToken, onNothing }: Props) {
  const words = useText().desk.entry;
  const queries = useQueryClient();
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const [text, setText] = useState("");
  const typed = text.trim();
  const [q] = useDebouncedValue(typed, 200);
  const found = useQuery({
    ...peopleQuery(q),
    enabled: q.length > 0 && typed.length > 0,
    placeholderData: keepPreviousData,
  });
  const people = typed && q ? (found.data?.items ?? []) : [];

  const take = async (person: Person) => {
    combobox.closeDropdown();
    if (await onPerson(person)) setText("");
  };
  const enter = async () => {
    if (!typed) return onNothing();
    // A scanner is quicker than a search: what was typed is asked for now.
    const [answer, device] = await Promise.all([
      queries.fetchQuery({ ...peopleQuery(typed), staleTime: 0 }),
      typed.length >= 4 && /\d/.test(typed) ? queries.fetchQuery({ ...deviceQuery(typed), staleTime: 0 }) : null,
    ]);
    const decision = decide(typed, { here, people: answer.items, recorded: device?.serial });
    switch (decision.kind) {
      case "person":
        return take(decision.person);
      case "token":
        combobox.closeDropdown();
        setText("");
        onSaid(
          device?.enrolled_at && device.owner
            ? words.already(device.serial, identified(device.owner))
            : words.queued(decision.serial),
        );
        return onToken(decision.serial, device);
      case "several":
        onSaid(answer.next_cursor ? words.many : words.several(decision.people.length));
        return combobox.openDropdown();
      case "nobody":
        return onSaid(words.nobody(typed));
    }
  };
  return (
    <form noValidate onSubmit={attempt.submit(enter)}>
      <Text fw={600} size="lg" mb={8} component="p" mt={0}>
        {title}
      </Text>
      <Combobox
        store={combobox}
        onOptionSubmit={(id) => {
          const person = people.find((p) => String(p.id) === id);
          if (person) void attempt.run(() => take(person));
        }}
      >
        <Combobox.Target>
          <TextInput
            ref={field}
            size="md"
            aria-label={words.label}
            placeholder={words.placeholder}
            value={text}
            maxLength={128}
            autoComplete="off"
            spellCheck={false}
            autoFocus
            data-first
            leftSection={<IconScan size={20} aria-hidden />}
            rightSection={attempt.busy || (typed && found.isFetching) ? <Loader size={16} /> : null}
            onChange={(e) => {
              setText(e.currentTarget.value);
              onSaid("");
              attempt.clear();
              combobox.openDropdown();
              combobox.resetSelectedOption();
            }}
            onBlur={() => combobox.closeDropdown()}
          />
        </Combobox.Target>
        <Combobox.Dropdown hidden={people.length === 0}>
          <Combobox.Options>
            {people.map((p) => (
              <Combobox.Option key={p.id} value={String(p.id)}>
                <Text size="sm">
                  <Free>{identified(p)}</Free>
                </Text>
                <Text size="xs" c="dimmed">
                  {[p.email, p.organization_name].filter(Boolean).join(" · ")}
                </Text>
              </Combobox.Option>
            ))}
          </Combobox.Options>
        </Combobox.Dropdown>
      </Combobox>
      <Group mt={8} mih={22}>
        <Text size="sm" c="dimmed" role="status">
          {said}
        </Text>
        {lead}
      </Group>
      <AttemptAlert attempt={attempt} />
    </form>
  );
}
