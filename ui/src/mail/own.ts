import type { QueryClient, UseMutationOptions } from "@tanstack/react-query";
import { type Own, type OwnBody, putOwn } from "./calls";
import { ownKey } from "./queries";

/** after is what is shown once that is chosen, beside what was chosen before. */
export function after(own: Own, choice: OwnBody): Own {
  return {
    ...own,
    language: choice.language ?? own.language,
    mail: { ...own.mail, ...choice.mail },
    kinds: (own.kinds ?? []).map((k) => ({ ...k, mail: choice.mail?.[k.kind] ?? k.mail })),
  };
}

const mutationKey = [...ownKey, "choice"];

/**
 * choosing sends one choice, and nothing of the others. It is shown at once; the server is asked how it stands after
 * the last of several, so that none of them jumps back meanwhile.
 */
export function choosing(queries: QueryClient, put = putOwn): UseMutationOptions<Own, unknown, OwnBody> {
  return {
    mutationKey,
    mutationFn: (choice) => put(choice),
    onMutate: async (choice) => {
      await queries.cancelQueries({ queryKey: ownKey });
      queries.setQueryData<Own>(ownKey, (own) => own && after(own, choice));
    },
    onSettled: async () => {
      if (queries.isMutating({ mutationKey }) > 1) return;
      await queries.invalidateQueries({ queryKey: ownKey });
    },
    scope: { id: "notifications" }, // one after the other
  };
}
