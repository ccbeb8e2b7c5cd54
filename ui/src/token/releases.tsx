import { Skeleton, Text } from "@mantine/core";
import { Warning } from "../parts/warning";
import { useText } from "../text";
import { useReleases } from "./data";
import { usePlain } from "./named";
import { released } from "./released";

/** Releases says in a line how often the token's secrets left, and whether the audit log has it. */
export function Releases({ serial }: { serial: string }) {
  const words = useText().tokens.page.releases;
  const query = useReleases(serial);
  const said = query.data ? released(query.data, words) : { wrong: false, line: words.untold, more: [] };
  const plain = usePlain();
  if (plain && !said.wrong) return null;
  if (query.isPending) return <Skeleton height={20} w="60%" mb="sm" />;
  if (!said.wrong) {
    return (
      <Text size="sm" c="dimmed" mb="sm">
        {[said.line, ...said.more].join(". ")}
      </Text>
    );
  }
  return (
    <Warning danger role="alert" title={said.line} mb="sm">
      {said.more.map((line) => (
        <Text size="sm" key={line}>
          {line}
        </Text>
      ))}
    </Warning>
  );
}
