import { Button, Group, Select, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { type ComponentType, type ReactNode, useState } from "react";
import { Empty } from "../parts/page";
import { useMay } from "../session/hooks";
import { useText } from "../text";
import { ViewsMenu } from "../views/menu";
import type { ViewList } from "../views/queries";
import classes from "./filters.module.css";
import { OrganizationSelect } from "./pick";
import { SearchBox } from "./search";
import { useTyped } from "./typed";

type BarProps = {
  label: string;
  q: string | undefined;
  /** Typing replaces the entry of the history. */
  onSearch: (q: string | undefined) => void;
  /** Something is left out. */
  filtered: boolean;
  onClear: () => void;
  /** The other filters. */
  children: ReactNode;
  /** Those that a phone shows on demand, and how many of them are set. */
  more?: ReactNode;
  /** Whose saved views are chosen here. */
  views?: ViewList;
  active?: number;
};

/** Filters are the controls that narrow a list, and the button that clears them all. */
export function Filters({ label, q, onSearch, filtered, onClear, children, more, active = 0, views }: BarProps) {
  const t = useText();
  const [open, setOpen] = useState(active > 0);
  return (
    <Group gap="xs" mb="sm" role="search">
      <SearchBox label={label} value={q} onChange={onSearch} />
      {children}
      {more ? (
        <>
          <Button hiddenFrom="xs" variant="default" aria-expanded={open} onClick={() => setOpen(!open)}>
            {t.common.actions.moreFilters}
          </Button>
          <div className={classes.more} data-closed={!open || undefined}>
            {more}
          </div>
        </>
      ) : null}
      {filtered ? (
        <Button variant="subtle" onClick={onClear}>
          {t.common.actions.clear}
        </Button>
      ) : null}
      {views ? <ViewsMenu list={views} /> : null}
    </Group>
  );
}

type ChoiceProps = {
  label: string;
  /** What the field says while nothing is chosen, unless that is its label. */
  placeholder?: string;
  /** In pixels; a narrow screen gives it a line of its own. */
  width: number;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  data: { value: string; label: string }[];
};

/** FilterChoice is a filter of a few values, or none of them. */
export function FilterChoice({ label, placeholder = label, width, value, onChange, data }: ChoiceProps) {
  const t = useText();
  return (
    <Select
      aria-label={label}
      placeholder={placeholder}
      clearable
      clearButtonProps={{ "aria-label": `${t.common.actions.clear}: ${label}` }}
      w={{ base: "100%", xs: width }}
      value={value ?? null}
      title={data.find((d) => d.value === value)?.label}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      data={data}
    />
  );
}

type TextProps = Pick<ChoiceProps, "label" | "width" | "value" | "onChange">;

/** FilterText is a filter that is typed; the list follows when the typing pauses. */
export function FilterText({ label, width, value = "", onChange }: TextProps) {
  const [text, setText] = useTyped(value, (next) => onChange(next || undefined));
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      maxLength={64}
      w={{ base: "100%", xs: width }}
      value={text}
      onChange={(e) => setText(e.currentTarget.value)}
    />
  );
}

type OrganizationProps = { label: string; value: number | undefined; onChange: (id: string | undefined) => void };

/** FilterOrganization is the filter of whoever looks after more than one organization. */
export function FilterOrganization({ label, value, onChange }: OrganizationProps) {
  if (!useMay()("create-organization")) return null;
  return (
    <OrganizationSelect
      compact
      label={label}
      placeholder={label}
      value={value}
      onChange={(id) => onChange(id?.toString())}
    />
  );
}

type Words = { title: string; text: string; noneTitle: string; noneText: string };

/** NoRows says that the filters let nothing through, or that there is nothing yet. */
export function NoRows({
  filtered,
  icon,
  words,
}: {
  filtered: boolean;
  icon: ComponentType<{ size?: number }>;
  words: Words;
}) {
  return filtered ? (
    <Empty icon={IconSearch} title={words.noneTitle} text={words.noneText} />
  ) : (
    <Empty icon={icon} title={words.title} text={words.text} />
  );
}
