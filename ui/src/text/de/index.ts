import type { Catalogue } from "../en";
import { agent } from "./agent";
import { audit } from "./audit";
import { backups } from "./backups";
import { certificates } from "./certificates";
import { common } from "./common";
import { compliance } from "./compliance";
import { fields } from "./fields";
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
import { sentences } from "./sentences";
import { settings } from "./settings";
import { stock } from "./stock";
import { system } from "./system";
import { tokens } from "./tokens";
import { webhooks } from "./webhooks";

const de: Catalogue = {
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
export default de;
