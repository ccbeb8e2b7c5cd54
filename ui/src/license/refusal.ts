import type { Problem, ProblemField } from "../api/problem";
import type { Catalogue } from "../text";

/** refusalOf says in the person's language what a fault about the license means; null for any other, or a reason unknown here. */
export function refusalOf(
  problem: Problem,
  words: Catalogue["license"],
  dayOf: (at: string) => string,
): { title: string; detail: string } | null {
  const reason = String(problem.params.reason);
  switch (problem.code) {
    case "license_unavailable":
      return { title: words.unavailable.title, detail: words.unavailable.text };
    case "license_restricted": {
      const why = words.held.reasons[reason];
      return why ? { title: words.held.title, detail: `${why} ${words.held.text}` } : null;
    }
    case "license_rejected": {
      const say = words.rejected.reasons[reason];
      if (!say) return null;
      const at = problem.params.expiry_date ?? problem.params.issue_date;
      const value = at === undefined ? String(problem.params.installation_id ?? "") : dayOf(String(at));
      return { title: words.rejected.title, detail: say(value) };
    }
  }
  return null;
}

/** wrongOf says what is wrong with a field of a license file; undefined for any other field, or where the server's words have to do. */
export function wrongOf(problem: Problem, field: ProblemField, words: Catalogue["license"]): string | undefined {
  if (problem.code !== "license_rejected") return undefined;
  return words.rejected.fields[field.code]?.(field.params ?? {});
}
