/** Said is how a language says the sentence of a code: the params stand in {places}, as that language writes them. */
export type Said = string | ((params: Readonly<Record<string, string>>) => string);

/** How a language says each sentence of backup jobs, by code/reason; none: as the server does, in English. */
export type Sentences = Readonly<Record<string, Said>>;
