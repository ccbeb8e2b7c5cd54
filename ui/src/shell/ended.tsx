import { Button, Modal, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { aside, useFocusBack } from "../session/focus";
import { SignInForm } from "../session/form";
import { type Me, meQuery } from "../session/hooks";
import { type State, session } from "../session/session";
import { useText } from "../text";

// While the session has ended, Escape must not close a dialog beneath: what was
// typed there would be lost. Dialogs listen on the window as they come; this
// listener was there before them.
window.addEventListener(
  "keydown",
  (e) => {
    if (e.key === "Escape" && session.snapshot().kind === "ended") e.stopImmediatePropagation();
  },
  { capture: true },
);

type Why = Extract<State, { kind: "ended" }>["why"];

/** EndedDialog asks for a new sign-in over the page, whose state stays. */
export function EndedDialog({ state }: { state: State }) {
  const t = useText();
  const ended = state.kind === "ended";
  useFocusBack(ended);
  const [why, setWhy] = useState<Why>("expired");
  if (ended && state.why !== why) setWhy(state.why); // which stays while the dialog fades
  const before = useQueryClient().getQueryData<Me>(meQuery.queryKey);
  return (
    <Modal
      opened={ended}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t.login.ended.title}
      returnFocus={false}
      {...aside}
      // Over every other dialog, the password question (400) included.
      zIndex={500}
    >
      <Stack>
        <Text size="sm">{t.login.ended[why]}</Text>
        {why === "other" ? (
          // The page is being left; this is for a browser that was told to stay.
          <Button component="a" href="/">
            {t.common.problem.home}
          </Button>
        ) : (
          <SignInForm
            // A local account has no other way in, even with passwords switched off for the others.
            local={before?.auth_source === "local"}
            federated={before?.auth_source === "oidc"}
            returnTo={null}
            username={before?.username}
            // The session's state closes this dialog.
            onDone={() => {}}
          />
        )}
      </Stack>
    </Modal>
  );
}
