import { type ReactNode, useCallback, useLayoutEffect, useState } from "react";
import { isProblem, type ProblemField } from "../api/problem";
import { useLanguage, useText } from "../text";
import { below } from "./explain";

/** Gives what stands below a field of a form, by its name in the API; own is what the page found, which comes first. */
export type WrongField = (name: string, own?: string) => ReactNode;

/** useWrong gives the fields of a form what is wrong with them, and knows below which it stands: nothing else says it. */
export function useWrong(problem: unknown): { field: WrongField; shown: readonly string[] } {
  const [shown, setShown] = useState<readonly string[]>([]);
  const shows = useCallback((name: string) => {
    setShown((names) => [...names, name]);
    return () => setShown((names) => names.filter((_, i) => i !== names.indexOf(name)));
  }, []);
  const field: WrongField = (name, own) => {
    const fields = isProblem(problem) ? problem.of(name) : [];
    if (own === undefined && fields.length === 0) return undefined;
    return <Wrong name={name} own={own} fields={fields} shows={shows} />;
  };
  return { field, shown };
}

type Props = {
  name: string;
  own: string | undefined;
  fields: readonly ProblemField[];
  /** Told as long as it stands there. */
  shows: (name: string) => () => void;
};

/** Wrong says what is wrong with a field, each thing on a line of its own. */
function Wrong({ name, own, fields, shows }: Props) {
  const t = useText();
  const language = useLanguage();
  // Before anything is drawn: what stands here must not flash up elsewhere.
  useLayoutEffect(() => shows(name), [shows, name]);
  const texts = own === undefined ? fields.map((f) => below(f, t, language)) : [own];
  return [...new Set(texts)].map((text) => (
    <span key={text} style={{ display: "block" }}>
      {text}
    </span>
  ));
}
