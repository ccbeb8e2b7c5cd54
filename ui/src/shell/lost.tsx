import { Button, Container } from "@mantine/core";
import { IconCompass, IconLock } from "@tabler/icons-react";
import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { Empty } from "../parts/page";
import { ProblemAlert } from "../parts/problem";
import { useText } from "../text";

function Home() {
  const t = useText();
  return (
    <Button component={Link} to="/" variant="default">
      {t.common.problem.home}
    </Button>
  );
}

/** Lost is shown for an address that names no page. */
export function Lost() {
  const t = useText();
  return (
    <Container component="main" py="xl">
      <Empty whole icon={IconCompass} title="404" text={t.common.problem.notFound} action={<Home />} />
    </Container>
  );
}

/** Refused is shown for a page outside the person's role. */
export function Refused() {
  const t = useText();
  return <Empty whole icon={IconLock} title="403" text={t.common.problem.forbidden} action={<Home />} />;
}

/** Wrong is shown when a page cannot be loaded or fails. */
export function Wrong({ error, reset }: ErrorComponentProps) {
  return (
    <Container component="main" py="xl">
      <ProblemAlert error={error} onRetry={reset} />
    </Container>
  );
}
