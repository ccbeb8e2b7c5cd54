import { Card, Center, Stack, Text, Title } from "@mantine/core";
import { useEffect } from "react";
import { TextLink } from "../parts/link";
import { useText } from "../text";

/** SignedIn ends the window of a single sign-on. The page that opened it knows already, from the session. */
export function SignedIn() {
  const t = useText();
  const words = t.login.window;
  useEffect(() => {
    document.title = `${words.doneTitle} · ${t.common.product}`;
    window.close(); // does nothing in a tab that a person opened: hence the text
  }, [t, words]);
  return (
    <Center component="main" mih="100vh" p="md">
      <Card w="100%" maw={400} p="xl">
        <Stack>
          <Title order={1}>{words.doneTitle}</Title>
          <Text size="sm">{words.done}</Text>
          <TextLink to="/">{t.common.problem.home}</TextLink>
        </Stack>
      </Card>
    </Center>
  );
}
