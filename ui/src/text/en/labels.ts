import { backups } from "./backups";
import { cas } from "./cas";
import { certificates } from "./certificates";
import { compliance } from "./compliance";
import { flow } from "./flow";
import { keys } from "./keys";
import { login } from "./login";
import { mail } from "./mail";
import { people } from "./people";
import { settings } from "./settings";
import { stock } from "./stock";
import { tokens } from "./tokens";
import { webhooks } from "./webhooks";

const { policy, signon } = settings;
const { store, password, when } = backups.settings;
const { register } = stock;

/** What the forms call an input, by its name in the API: for what is said elsewhere than beside it. */
export const labels = {
  access_key_id: store.keyId,
  actions: webhooks.form.actions,
  allow_insecure_auth: mail.settings.insecureAuth,
  bucket: store.bucket,
  ca_pem: mail.settings.ca,
  certificate: cas.install.certificate,
  chain: cas.install.chain,
  client_id: signon.clientId,
  client_secret: signon.secret.label,
  code: settings.tabs.signon,
  current_password: login.change.current,
  default_organization_id: signon.defaultOrganization,
  default_role: signon.defaultRole,
  description: webhooks.form.description,
  drill_schedule: when.drills,
  email: people.fields.email,
  email_domains: people.organizations.domains,
  encryption: store.encryption,
  encryption_password: password.title,
  expires_at: keys.form.lifetime,
  expiring_within_days: compliance.parameters.within,
  file: stock.importing.file,
  firmware_version: register.firmware,
  form_factor: register.formFactor,
  from: compliance.parameters.from,
  from_name: mail.settings.fromName,
  host: mail.settings.host,
  issuer: signon.issuer,
  kerberos_realm: people.organizations.realm,
  key_type: cas.request.keyType,
  kms_key_id: store.kms,
  label: register.label,
  language: mail.settings.language,
  local_login: signon.local,
  lockout_attempts: policy.attempts,
  lockout_minutes: policy.minutes,
  management_key: flow.stages.management_key,
  max_age_days: policy.age,
  max_length: policy.max,
  min_length: policy.min,
  model: register.model,
  name: keys.form.name,
  new_password: login.change.next,
  object_lock_days: store.lockDays,
  object_lock_mode: store.lock,
  organization: register.organization,
  organization_claim: signon.organizationClaim,
  organization_id: people.fields.organization,
  organization_mapping: signon.organizationTable,
  owner: register.owner,
  owner_id: register.owner,
  password: people.fields.password,
  pin: flow.stages.pin,
  port: mail.settings.port,
  prefix: store.prefix,
  puk: flow.stages.puk,
  reason: tokens.flow.reason,
  region: store.region,
  retention_days: when.retention,
  role: people.fields.role,
  role_claim: signon.roleClaim,
  role_mapping: signon.roleTable,
  s3_endpoint: store.endpoint,
  schedule: when.schedule,
  scopes: signon.scopes,
  secret_access_key: store.secret.label,
  security: mail.settings.security,
  secrets_older_than_days: compliance.parameters.older,
  serial: register.serial,
  serial_number: certificates.detail.serial,
  sid: people.fields.sid,
  sid_claim: signon.sidClaim,
  status: stock.columns.status,
  time_zone: when.zone,
  to: compliance.parameters.to,
  upn: people.fields.upn,
  upn_claim: signon.upnClaim,
  upn_suffixes: people.organizations.suffixes,
  url: webhooks.form.url,
  username: people.fields.username,
  username_claim: signon.usernameClaim,
} as Readonly<Record<string, string>>;
