import { Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, ask, type Schema } from "../../api/client";
import { TextLink } from "../../parts/link";
import { Loaded } from "../../parts/page";
import { TokenStatus } from "../../parts/status";
import { useText } from "../../text";
import { Section } from "./section";

/** tokensQuery asks for the tokens of a person; nobody holds more than a page of them. */
function tokensQuery(ownerId: number) {
  return {
    queryKey: ["hwkeys", "owner", ownerId] as const,
    queryFn: () => ask(api.GET("/api/hwkey", { params: { query: { owner_id: ownerId, limit: 100 } } })),
  };
}

const most = 6;

/** OwnTokens lists the tokens of a person. */
export function OwnTokens({ user }: { user: Schema<"User"> }) {
  const words = useText().people.tokens;
  const tokens = useQuery(tokensQuery(user.id));
  const more = (tokens.data?.items.length ?? 0) > most;
  return (
    <Section
      title={words.title}
      aside={
        more ? (
          <TextLink to="/admin/tokens" search={{ owner: user.id }} size="sm">
            {words.all}
          </TextLink>
        ) : undefined
      }
    >
      <Loaded query={tokens} height={48}>
        {({ items }) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed">
              {words.none}
            </Text>
          ) : (
            <Stack gap={6}>
              {items.slice(0, most).map((token) => (
                <Group key={token.serial} justify="space-between" wrap="nowrap">
                  <div style={{ minWidth: 0 }}>
                    <TextLink to="/tokens/$serial" params={{ serial: token.serial }} className="mono">
                      {token.serial}
                    </TextLink>
                    <Text size="xs" c="dimmed" truncate>
                      {[token.label, token.model].filter(Boolean).join(" · ")}
                    </Text>
                  </div>
                  <TokenStatus value={token.status} />
                </Group>
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Section>
  );
}
