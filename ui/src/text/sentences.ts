/** Said is how a language says the sentence of a code: the params stand in {places}, as that language writes them; of a time {place:day} gives the day alone. */
export type Said = string | ((params: Readonly<Record<string, string>>) => string);

/** How a language says each sentence of the server and the agent, by code/reason; none: as they do, in English. */
export type Sentences = Readonly<Record<string, Said>>;
