import type { Catalogue } from "../../text";

type Words = Catalogue["audit"];
type Target = { target_type: string; target_id: string };

function own<T extends object>(texts: T, key: string): key is Extract<keyof T, string> {
  return Object.hasOwn(texts, key);
}

/** phrase says in words what an action is; undefined for one that this page does not know yet. */
export function phrase(words: Words, action: string): string | undefined {
  if (own(words.actions, action)) return words.actions[action];
  if (own(words.groups, action)) return words.groups[action];
  return undefined;
}

/** targetType says in words what kind of thing an entry is about. */
export function targetType(words: Words, type: string): string {
  return own(words.targets, type) ? words.targets[type] : type;
}

/** targetName gives what an entry is about, and its id where that says more. */
export function targetName(words: Words, { target_type: type, target_id: id }: Target): { name: string; id: string } {
  const settings = type === "settings" ? words.settings[id] : undefined;
  return settings ? { name: settings, id: "" } : { name: targetType(words, type), id };
}

/** actorName is who did it, in words where Keyward or a key did. */
export function actorName(words: Words, actor: string): string {
  if (actor === "system") return words.system;
  return actor.startsWith("api-key:") ? words.apiKey(actor.slice("api-key:".length)) : actor;
}

/** choices are the actions that the filter offers: each group, and the actions in it. */
export function choices(words: Words): { group: string; items: string[] }[] {
  const actions = Object.keys(words.actions);
  return Object.entries(words.groups).map(([prefix, group]) => ({
    group,
    items: [prefix, ...actions.filter((a) => a.startsWith(prefix))],
  }));
}

/** matches tells whether an offered action fits what was typed, by its name or its words. */
export function matches(words: Words, action: string, typed: string): boolean {
  const wanted = typed.trim().toLowerCase();
  return action.includes(wanted) || (phrase(words, action) ?? "").toLowerCase().includes(wanted);
}
