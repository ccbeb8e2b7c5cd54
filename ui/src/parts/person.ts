type Person = { username: string; name?: string };

/** called is what people call a person: by name, or as they sign in where no name is known. */
export const called = (person: Person) => person.name || person.username;

/** identified calls a person so that nobody else is meant: two people may have one name. */
export const identified = (person: Person) => (person.name ? `${person.name} (${person.username})` : person.username);
