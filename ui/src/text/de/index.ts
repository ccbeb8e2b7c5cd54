import type { Catalogue } from "../en";
import { agent } from "./agent";
import { audit } from "./audit";
import { backups } from "./backups";
import { certificates } from "./certificates";
import { common } from "./common";
import { compliance } from "./compliance";
import { flow } from "./flow";
import { jobs } from "./jobs";
import { keys } from "./keys";
import { license } from "./license";
import { login } from "./login";
import { overview } from "./overview";
import { people } from "./people";
import { profile } from "./profile";
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
  flow,
  jobs,
  keys,
  license,
  login,
  overview,
  people,
  profile,
  settings,
  stock,
  system,
  tokens,
  webhooks,
};
export default de;
