import { Modal, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { api, ask } from "../api/client";
import { SignInForm } from "../session/form";
import { type Me, meQuery } from "../session/hooks";
import { session } from "../session/session";
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

/** EndedDialog asks for a new sign-in over the page, whose state stays. */
export function EndedDialog({ why }: { why: "expired" | "elsewhere" }) {
  const t = useText();
  const queries = useQueryClient();
  const before = queries.getQueryData<Me>(meQuery.queryKey);
  const again = async () => {
    const me = await ask(api.GET("/api/auth/me"));
    if (before && me.id !== before.id) {
      // Another person must not see what is in this page.
      location.assign("/");
      return;
    }
    await queries.invalidateQueries();
  };
  return (
    <Modal
      opened
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t.login.ended.title}
    >
      <Stack>
        <Text size="sm">{t.login.ended[why]}</Text>
        <SignInForm
          returnTo={location.pathname + location.search}
          username={before?.username}
          onDone={() => void again()}
        />
      </Stack>
    </Modal>
  );
}
