import { Button, Group, Pill, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconAdjustmentsHorizontal, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { called } from "../../parts/person";
import { useText } from "../../text";
import { ViewsMenu } from "../../views/menu";
import { personQuery } from "../queries";
import classes from "./filterbar.module.css";
import { FilterFields } from "./filterfields";
import { count, type Filters, type Period, pastFrom } from "./filters";

type Props = {
  filters: Filters;
  /** Changes some filters; what is undefined is taken away. */
  onChange: (change: Partial<Filters>) => void;
  onClear: () => void;
};

const periods: Period[] = ["hour", "day", "week", "month"];

/** FilterBar narrows the audit log. On a narrow screen it opens on demand. */
export function FilterBar({ filters, onChange, onClear }: Props) {
  const t = useText();
  const n = count(filters);
  const [open, { toggle }] = useDisclosure(false);
  return (
    <search aria-label={t.audit.filters.label}>
      <Group hiddenFrom="sm" mb={open ? "sm" : 0}>
        <Button
          variant="default"
          leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
          aria-expanded={open}
          onClick={toggle}
        >
          {n > 0 ? t.audit.filters.active(n) : t.audit.filters.show}
        </Button>
      </Group>
      <Stack gap="xs" className={open ? undefined : classes.closed}>
        <div className={classes.fields}>
          <FilterFields filters={filters} onChange={onChange} />
          <Group gap={4} mih={36} className={classes.periods}>
            {periods.map((p) => (
              <Button
                key={p}
                variant="subtle"
                size="compact-sm"
                onClick={() => onChange({ from: pastFrom(p), to: undefined })}
              >
                {t.audit.filters[p]}
              </Button>
            ))}
            <ViewsMenu list="audit" />
            {filters.person ? <About id={filters.person} onRemove={() => onChange({ person: undefined })} /> : null}
            {n > 0 ? (
              <Button
                variant="subtle"
                color="gray"
                size="compact-sm"
                leftSection={<IconX size={14} aria-hidden />}
                onClick={onClear}
              >
                {t.common.actions.clear}
              </Button>
            ) : null}
          </Group>
        </div>
      </Stack>
    </search>
  );
}

/** About says whose entries there are: those by a person, and those about them. */
function About({ id, onRemove }: { id: number; onRemove: () => void }) {
  const words = useText().audit.filters;
  const { data } = useQuery(personQuery(id));
  return (
    <Pill
      withRemoveButton
      size="md"
      onRemove={onRemove}
      removeButtonProps={{ "aria-label": words.anyone, tabIndex: 0, "aria-hidden": false }}
    >
      {words.about(data ? called(data) : `#${id}`)}
    </Pill>
  );
}
