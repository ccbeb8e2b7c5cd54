import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { putOwn } from "../mail/calls";
import { ownKey } from "../mail/queries";
import { tell } from "../parts/problem";
import { meQuery, useMe } from "../session/hooks";
import { chosenHere, type Language, languageNow, speak } from "../text";

/** useSaveLanguage has the server write to the person in a language from now on. */
function useSaveLanguage() {
  const queries = useQueryClient();
  return async (language: Language) => {
    await putOwn({ language });
    await Promise.all([
      queries.invalidateQueries({ queryKey: meQuery.queryKey }),
      queries.invalidateQueries({ queryKey: ownKey }),
    ]);
  };
}

/** useChooseLanguage shows the pages in a language, and has mail speak it, too. */
export function useChooseLanguage(): (language: Language) => void {
  const save = useSaveLanguage();
  return (language) => {
    const both = async () => {
      await speak(language, "chosen");
      await save(language);
    };
    both().catch(tell);
  };
}

/**
 * useOwnLanguage: in a browser where nobody has chosen a language, the pages speak the person's, and begin with it the
 * next time. Whoever has never chosen one has the browser's.
 */
export function useOwnLanguage(): void {
  const me = useMe();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each person; what is chosen later, is saved then
  useEffect(() => {
    if (me.language && !chosenHere() && me.language !== languageNow()) {
      speak(me.language, "person").catch(() => {}); // it stays in the language that it has
    }
  }, [me.id]);
}
