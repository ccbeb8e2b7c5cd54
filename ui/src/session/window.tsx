import { Alert, Anchor, Button, Stack, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { useText } from "../text";

/** doneHere is the page that a window of single sign-on ends at. */
export const doneHere = "/signed-in";

/** roundTo is where a round of single sign-on begins that ends at a page of ours. reauthenticate: to prove anew who one is. */
export function roundTo(page: string, reauthenticate = false): string {
  const search = new URLSearchParams({ return_to: page });
  if (reauthenticate) search.set("reauthenticate", "true");
  return `/api/auth/oidc/start?${search}`;
}

const size = { width: 480, height: 720 };
const patience = 1500; // ms until the word of a window that has just closed itself must have come

type Props = { label: string; reauthenticate?: boolean; autofocus?: boolean; variant?: "default" | "filled" };

/**
 * RoundWindow leads to the provider in a window of its own, so that this page
 * and the work in it stay. Nobody can tell from here how that window is: at the
 * provider's address the browser cuts it off from this page (COOP), and then
 * even calls it closed. So it may always be opened again, and what came of it is
 * told by the session (its channel), not by the window.
 */
export function RoundWindow({ label, reauthenticate = false, autofocus = false, variant = "filled" }: Props) {
  const words = useText().login.window;
  const [stage, setStage] = useState<"ready" | "away" | "back" | "blocked">("ready");
  useEffect(() => {
    if (stage !== "away") return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const back = () => {
      clearTimeout(timer);
      timer = setTimeout(() => setStage("back"), patience);
    };
    addEventListener("focus", back);
    return () => {
      clearTimeout(timer);
      removeEventListener("focus", back);
    };
  }, [stage]);

  // At once, within the click: otherwise it is a pop-up to be blocked.
  const open = () => {
    const left = Math.round(window.screenX + (window.outerWidth - size.width) / 2);
    const top = Math.round(window.screenY + (window.outerHeight - size.height) / 2);
    const features = `popup,width=${size.width},height=${size.height},left=${left},top=${top}`;
    const opened = window.open(roundTo(doneHere, reauthenticate), "_blank", features);
    const there = opened !== null && !opened.closed; // which can be told at this moment only
    // Not by "noopener": that would not tell whether there is a window.
    if (there) opened.opener = null;
    setStage(there ? "away" : "blocked");
  };
  return (
    <Stack gap="xs">
      <Button
        variant={stage === "away" ? "default" : variant}
        data-autofocus={autofocus ? true : undefined}
        onClick={open}
      >
        {stage === "ready" || stage === "blocked" ? label : words.again}
      </Button>
      <Text size="sm" c="dimmed" role="status">
        {stage === "blocked" ? "" : words[stage]}
      </Text>
      {stage === "blocked" ? (
        <Alert color="orange" role="alert">
          <Text size="sm">{words.blocked}</Text>
          <Anchor size="sm" href={roundTo(location.pathname + location.search, reauthenticate)}>
            {words.here}
          </Anchor>
        </Alert>
      ) : null}
    </Stack>
  );
}
