import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMay } from "../session/hooks";
import { useLanguage, useText } from "../text";
import { type Looked, look, sources } from "./kinds";

const pause = 200; // ms in the typing

type Finding = Looked & {
  /** What is shown belongs to what was typed before. */
  old: boolean;
  again: () => void;
};

const nothing: Looked = { found: [], failed: null };

/** useFound looks for what is typed when the typing pauses. What was found before stays in sight until then. */
export function useFound(text: string): Finding {
  const t = useText();
  const may = useMay();
  const language = useLanguage();
  const typed = text.trim();
  const [q] = useDebouncedValue(typed, pause);
  const allowed = sources.filter((s) => may(s.needs));
  const query = useQuery({
    queryKey: ["find", q, language, allowed.map((s) => s.kind)],
    queryFn: ({ signal }) => look(allowed, q, t, may, signal),
    enabled: q !== "" && typed !== "",
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
  });
  if (typed === "") return { ...nothing, old: false, again: () => {} };
  return {
    ...(query.data ?? nothing),
    old: typed !== q || query.isPlaceholderData || query.isPending || (query.isFetching && !!query.data?.failed),
    again: () => void query.refetch(),
  };
}
