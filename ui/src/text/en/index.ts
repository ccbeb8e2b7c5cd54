import { agent } from "./agent";
import { audit } from "./audit";
import { backups } from "./backups";
import { certificates } from "./certificates";
import { common } from "./common";
import { compliance } from "./compliance";
import { find } from "./find";
import { flow } from "./flow";
import { keys } from "./keys";
import { labels } from "./labels";
import { license } from "./license";
import { login } from "./login";
import { mail } from "./mail";
import { overview } from "./overview";
import { people } from "./people";
import { profile } from "./profile";
import { fields, sentences } from "./sentences";
import { settings } from "./settings";
import { stock } from "./stock";
import { system } from "./system";
import { tokens } from "./tokens";
import { webhooks } from "./webhooks";

/** English. Every other language has this shape; a text that takes values is a function. */
const en = {
  agent,
  audit,
  backups,
  certificates,
  common,
  compliance,
  fields,
  find,
  flow,
  keys,
  labels,
  license,
  login,
  mail,
  overview,
  people,
  profile,
  sentences,
  settings,
  stock,
  system,
  tokens,
  webhooks,
};
export default en;
export type Catalogue = typeof en;
