/** Said is how a language says the sentence of a code: the params stand in {places}, as that language writes them; of a time {place:day} gives the day alone. */
export type Said = string | ((params: Readonly<Record<string, string>>) => string);

/** How a language says each sentence of the server and the agent, by code/reason; none: as they do, in English. */
export type Sentences = Readonly<Record<string, Said>>;

/** failures are the sentences of mail that was refused: what is wrong and what to do, as the list of messages has them. */
export function failures(errors: Readonly<Record<string, { what: string; todo: string }>>): Sentences {
  return Object.fromEntries(
    Object.entries(errors).map(([reason, { what, todo }]) => [`mail_failed/${reason}`, `${what} ${todo}`]),
  );
}
