import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, ask } from "../../api/client";
import { every } from "../../parts/refetch";
import { useText } from "../../text";
import classes from "./recent.module.css";
import { standing } from "./standing";

const shown = 20;

/** Recent draws a webhook's latest deliveries, oldest first: what failed stands out. */
export function Recent({ id }: { id: number }) {
  const words = useText().webhooks.recent;
  const { data, isError } = useQuery({
    queryKey: ["webhooks", id, "recent"],
    queryFn: () =>
      ask(api.GET("/api/admin/webhooks/{id}/deliveries", { params: { path: { id }, query: { limit: shown } } })),
    refetchInterval: every(30_000),
  });
  if (!data) return isError ? <>–</> : <Skeleton height={36} width={120} />;
  const count = (status: string) => data.items.filter((d) => d.status === status).length;
  const failed = count("failed");
  const retrying = data.items.filter((d) => standing(d) === "retrying").length;
  const pending = count("pending");
  const settled = data.items.length - pending;
  const said = [
    failed > 0 ? words.failed(failed, settled) : settled > 0 ? words.fine(settled) : null,
    retrying > 0 ? words.retrying(retrying) : null,
    pending > retrying ? words.pending(pending - retrying) : null,
  ].filter((x) => x !== null);
  return (
    <>
      <div className={classes.row} aria-hidden="true">
        {data.items.toReversed().map((d) => (
          <span key={d.id} className={classes[d.status]} />
        ))}
      </div>
      <Text size="xs" c="dimmed" className="numbers">
        {said.join(", ") || words.none}
      </Text>
    </>
  );
}
