import type { Catalogue } from "../../text";
import type { Entry } from "./fold";

/** Said is a part of an entry's details: a value with its name, or, without one, a sentence. */
export type Said = { name?: string; value: string /** As the server wrote it, in English. */; raw?: boolean };

function own<T extends object>(texts: T, key: string): key is Extract<keyof T, string> {
  return Object.hasOwn(texts, key);
}

/** named reads a part that says one thing. */
function named(part: string, action: string, t: Catalogue): Said[] | undefined {
  const words = t.audit.said;
  const value = (name: string, pattern: RegExp, show = (text: string) => text) => {
    const [, found] = pattern.exec(part) ?? [];
    return found === undefined ? undefined : [{ name, value: show(found) }];
  };
  const pick = (texts: object) => (key: string) => (own(texts, key) ? String(texts[key]) : key);
  const secrets = (list: string) => list.split(",").map(pick(t.tokens.facts.factoryNames)).join(", ");
  if (own(words.sentences, part)) return [{ value: words.sentences[part] }];
  const [, token, why] = /^token (\S+): (.+)$/.exec(part) ?? [];
  if (token && why) return [{ name: words.token, value: token }, ...of(why, action, t)];
  const [, slot, successor] = /^slot (\w+): superseded by (\S+)$/.exec(part) ?? [];
  if (slot && successor)
    return [
      { name: words.slot, value: slot },
      { name: words.successor, value: successor },
    ];
  const [, secret, matched] = /^the card's (\w+) matched (\w+)$/.exec(part) ?? [];
  if (secret && matched)
    return [{ name: pick(t.tokens.facts.factoryNames)(secret), value: pick(words.matched)(matched) }];
  const [, from, to, because] = /^from (\w+) to (\w+)(?:: (.+))?$/.exec(part) ?? [];
  if (from && to) {
    const role = action === "user.role_changed";
    const show = pick(role ? t.common.roles : t.common.status);
    const step = { name: role ? words.role : words.status, value: `${show(from)} → ${show(to)}` };
    return because ? [step, ...of(because, action, t)] : [step];
  }
  return (
    value(words.token, /^token (\S+)$/) ??
    value(words.slot, /^slot (\w+)$/) ??
    value(words.profile, /^profile (.+)$/) ??
    value(words.subject, /^subject (.+)$/) ??
    value(words.email, /^email (\S+)$/) ??
    value(words.upn, /^upn (\S+)$/) ??
    value(words.rotation, /^rotation (\d+)$/) ??
    value(words.fields, /^fields ([\w,]+)$/, secrets) ??
    value(words.session, /^session (\d+)$/) ??
    value(words.agentKey, /^agent key (\S+)$/) ??
    value(words.apiKey, /^by API key (\d+)$/) ??
    value(words.method, /^method (\w+)$/, pick(words.methods)) ??
    value(words.role, /^role (\w+)$/, pick(t.common.roles)) ??
    value(words.owner, /^(?:owner is now|assigned to) (\S+)$/) ??
    value(words.attested, /^attested by (.+)$/) ??
    value(words.tokens, /^(\d+) tokens suspended$/) ??
    value(words.certificates, /^(\d+) certificates revoked$/)
  );
}

/** of reads a clause whole, or else part by part; parts that it does not know stay together. */
function of(clause: string, action: string, t: Catalogue): Said[] {
  const { said: words, fields } = t.audit;
  const whole = named(clause, action, t);
  if (whole) return whole;
  const [, changed] = /^changed: (.+)$/.exec(clause) ?? [];
  if (changed) return [{ name: words.changed, value: changed }];
  if (action === "audit.exported") {
    return [...clause.matchAll(/(\w+)=("(?:[^"\\]|\\.)*"|\S+)/g)].map(([, key = "", value = ""]) => ({
      name: own(words.filters, key) ? words.filters[key] : own(fields, key) ? fields[key] : key,
      value: value.replace(/^"(.*)"$/, "$1"),
    }));
  }
  const all: Said[] = [];
  for (const part of clause.split(/(?<!\\), (?![A-Z]+=)/)) {
    const known = named(part, action, t);
    const last = all.at(-1);
    if (known) all.push(...known);
    else if (last?.raw) last.value += `, ${part}`;
    else all.push({ value: part, raw: true });
  }
  return all;
}

/** said puts the details of an entry, which are English for every reader, in words with their names. */
export function said({ details, action }: Pick<Entry, "details" | "action">, t: Catalogue): Said[] {
  return details === "" ? [] : details.split("; ").flatMap((clause) => of(clause, action, t));
}
