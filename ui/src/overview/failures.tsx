import { Stack } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { explain, ProblemAlert } from "../parts/problem";
import { useText } from "../text";

/** Failures shows why some of the queries failed, each reason once; a retry asks all of them again that failed with it. */
export function Failures({ queries }: { queries: readonly UseQueryResult<unknown>[] }) {
  const t = useText();
  const reasons = new Map<string, UseQueryResult<unknown>[]>();
  for (const query of queries.filter((q) => q.isError)) {
    const { detail } = explain(query.error);
    reasons.set(detail, [...(reasons.get(detail) ?? []), query]);
  }
  if (reasons.size === 0) return null;
  const retry = (failed: UseQueryResult<unknown>[]) => {
    for (const query of failed) void query.refetch();
  };
  return (
    <Stack gap="sm" mt="sm">
      {[...reasons].map(([detail, failed]) => (
        <ProblemAlert
          key={detail}
          title={t.overview.todo.failed}
          error={failed[0]?.error}
          onRetry={() => retry(failed)}
        />
      ))}
    </Stack>
  );
}
