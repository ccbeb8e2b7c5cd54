import { Container, Stack } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { useAgain } from "../parts/again";
import { BackLink } from "../parts/link";
import { Brand } from "../parts/logo";
import { Empty, Missing, Page, Panel } from "../parts/page";
import { ProblemAlert } from "../parts/problem";
import { useText } from "../text";

function Home() {
  const t = useText();
  return <BackLink to="/">{t.common.problem.home}</BackLink>;
}

/** Lost is shown for an address that names no page. */
export function Lost() {
  const words = useText().common.problem;
  return <Missing title={words.lost} text={words.notFound} back={<Home />} />;
}

/** Nowhere is the same for whom nobody has signed in: without the frame. */
export function Nowhere() {
  return (
    <Container component="main" py="xl">
      <Stack>
        <Brand />
        <Lost />
      </Stack>
    </Container>
  );
}

/** Refused is shown for a page outside the person's role. */
export function Refused() {
  const words = useText().common.problem;
  return (
    <Page title={words.refused}>
      <Panel>
        <Empty icon={IconLock} title={words.forbidden} action={<Home />} />
      </Panel>
    </Page>
  );
}

/** Failed is shown in place of a page that cannot be loaded or fails; it is loaded as soon as the server answers. */
export function Failed({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const again = () => {
    reset();
    void router.invalidate();
  };
  useAgain(error, again);
  return <ProblemAlert error={error} onRetry={again} />;
}

/** Wrong is Failed without the frame. */
export function Wrong(props: ErrorComponentProps) {
  return (
    <Container component="main" py="xl">
      <Failed {...props} />
    </Container>
  );
}
