import { agent } from "./agent";
import { audit } from "./audit";
import { backups } from "./backups";
import { cas } from "./cas";
import { certificates } from "./certificates";
import { compliance } from "./compliance";
import { desk } from "./desk";
import { find } from "./find";
import { flow } from "./flow";
import { keys } from "./keys";
import { labels } from "./labels";
import { license } from "./license";
import { mail } from "./mail";
import { overview } from "./overview";
import { people } from "./people";
import { person } from "./person";
import { profile } from "./profile";
import { profiles } from "./profiles";
import { replace } from "./replace";
import { fields, findings, sentences } from "./sentences";
import { settings } from "./settings";
import { stock } from "./stock";
import { system } from "./system";
import { tokens } from "./tokens";
import { webhooks } from "./webhooks";

/** What is said within the frame. */
const rest = {
  agent,
  audit,
  backups,
  cas,
  certificates,
  compliance,
  desk,
  fields,
  find,
  findings,
  flow,
  keys,
  labels,
  license,
  mail,
  overview,
  people,
  person,
  profile,
  profiles,
  replace,
  sentences,
  settings,
  stock,
  system,
  tokens,
  webhooks,
};
export default rest;
export type Rest = typeof rest;
