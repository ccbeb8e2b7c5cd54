import { Button, Stack, Text } from "@mantine/core";
import { IconRefresh, IconShieldUp } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Card } from "../../admin/cas/card";
import { ParentLists } from "../../admin/cas/parents";
import { casQuery } from "../../admin/cas/queries";
import { type Asked, RequestDialog } from "../../admin/cas/request";
import { Loaded, Page } from "../../parts/page";
import { useText } from "../../text";

/** CAs is the page of the certificate authorities: how each stands, and what to do next. */
export function CAs() {
  const words = useText().cas;
  const query = useQuery(casQuery);
  const [asked, setAsked] = useState<Asked>(null);
  const active = query.data?.items.find((ca) => ca.state === "active");
  const own = active?.parent === null;
  const renew = () => setAsked({ what: "renew", parent: own ? "self" : "external" });
  return (
    <Page
      title={words.title}
      actions={
        active ? (
          <>
            {own ? (
              <Button
                variant="default"
                leftSection={<IconShieldUp size={16} aria-hidden />}
                onClick={() => setAsked({ what: "ownRoot", parent: "external" })}
              >
                {words.actions.ownRoot}
              </Button>
            ) : null}
            <Button variant="default" leftSection={<IconRefresh size={16} aria-hidden />} onClick={renew}>
              {words.actions.renew}
            </Button>
          </>
        ) : null
      }
    >
      <Text size="sm" c="dimmed" maw={720}>
        {words.intro}
      </Text>
      <Loaded query={query} height={420}>
        {({ items, parent_crls }) => (
          <Stack gap="md">
            {items.map((ca) => (
              <Card key={ca.id} ca={ca} all={items} onRenew={renew} />
            ))}
            <ParentLists cas={items} lists={parent_crls} />
          </Stack>
        )}
      </Loaded>
      <RequestDialog asked={asked} onClose={() => setAsked(null)} />
    </Page>
  );
}
