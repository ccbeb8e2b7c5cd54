import type { Sentences } from "../sentences";
import { errors } from "./mail";

/** What problems and jobs say, where the page says it otherwise than the API, which speaks to programs, too. */
export const sentences = {
  // As the list of messages has them. Written in each language: what two of them shared would be loaded with the pages.
  ...Object.fromEntries(Object.entries(errors).map(([reason, e]) => [`mail_failed/${reason}`, `${e.what} ${e.todo}`])),
  account_locked: "Too many failed sign-ins. Wait, or ask an administrator to unlock the account.",
  "license_rejected/bad_signature":
    "The signature doesn't match. Upload the file exactly as you got it, or ask the vendor for a new one.",
  "license_rejected/expired": "This license expired on {expiry_date:day}. Ask the vendor for a new one.",
  "license_rejected/older":
    "A license that was issued later, on {issue_date:day}, was stored here before. Confirm it to go back to this older one.",
  "license_restricted/license_expired": restricted("The license has expired"),
  "license_restricted/license_invalid": restricted("The license is not valid"),
  "license_restricted/license_missing": restricted("The license was removed"),
  "license_restricted/trial_over": restricted("The trial is over"),
  password_expired: "Choose a new password, then sign in with it.",
  password_policy: "This password breaks several rules.",
  "rate_limited/releases": "You can get the secrets of at most {max} other people's tokens per hour. Continue later.",
  "rate_limited/requests": "Too many requests.",
  reauthentication_required: "Confirm it's you, then try again.",
  restore_running: "A backup is being restored. You can't change anything until it ends; then sign in again.",
} as Sentences;

function restricted(why: string): string {
  return `${why}, so you can't add accounts, tokens or first certificates. Everything else keeps working. An administrator can upload a license.`;
}

/** What is wrong with an input that people fill in: a sentence below it, and after its label in an alert. */
export const fields = {
  bad_action: "Enter an action such as hwkey.registered, or a prefix such as hwkey. with its dot.",
  bad_bucket: "Enter only the bucket's name, without a path or an address.",
  bad_code: "This sign-in has expired. Start again.",
  bad_domains: "Enter domain names such as example.org.",
  bad_email: "Enter an email address such as name@example.org.",
  bad_expiry: "Choose a date in the future, at most {max_days} days ahead.",
  bad_host: "Enter an address with a host name, such as hooks.example.org.",
  bad_issuer: "Enter an https address without a query or fragment.",
  bad_key_length: "Enter 32, 48 or 64 hexadecimal digits.",
  bad_length: "Use {min} to {max} characters.",
  bad_mail_host: "Enter the mail server's name or address, without a port.",
  bad_name: "Use 1 to {max} characters, and no invisible ones.",
  bad_pem: "Paste only certificates, in PEM format.",
  bad_pin: "Use 6 to 8 digits.",
  bad_port: "Use a port between 1 and 65535, or none.",
  bad_s3_endpoint: "Enter https:// or http:// and a host, with or without a port. The bucket has its own field.",
  bad_s3_text: "Use ASCII letters, digits and symbols, and no spaces.",
  bad_serial: "Use 4 to 64 letters, digits or dashes, not starting with a dash.",
  bad_text: "Use at most {max} characters, and no control characters.",
  bad_time_zone: "Enter the name of a time zone, such as Europe/Berlin. Leave it empty for UTC.",
  bad_url: "Enter an address such as https://hooks.example.org/keyward.",
  bad_username:
    "Use 1 to {max} of the letters a to z, digits, dots, dashes and underscores, or the person's own email address.",
  bad_version: "Enter a version such as 5.4.3.",
  common: "This password is too common.",
  control_characters: "Remove the control characters.",
  email_outside_domains: "Use one of the organization's email domains.",
  factory_pin: "Choose another PIN. Everyone knows the factory one.",
  like_name: "Don't use your username or email.",
  needed_again: "You changed the issuer or client ID, so enter this again. Leave it empty if there is none.",
  network_refused:
    "This address is in a network that webhooks may not reach. An administrator of the server can allow it (WEBHOOK_ALLOWED_NETWORKS).",
  no_digit: "Add a digit.",
  no_https: "Start with https://.",
  no_lower_case: "Add a lowercase letter.",
  no_symbol: "Add a symbol, punctuation mark or space.",
  no_upper_case: "Add an uppercase letter.",
  no_username: "A password needs a username.",
  not_hex: "Use hexadecimal digits: 0 to 9 and a to f.",
  out_of_range: "Enter a number between {min} and {max}.",
  password_again: "You changed the server, account or encryption, so enter the password again.",
  password_in_clear: "Turn this on to send a password without encryption: anyone on the network can read it.",
  provider_silent: "This provider doesn't respond at /.well-known/openid-configuration.",
  provider_unusable: "This provider can't be used: it must name the same issuer, and https addresses.",
  reason_needed: "Enter a reason: this is not your token. The reason appears in the audit log.",
  required: "Required.",
  reserved_for_former: "This is still reserved for its former owner.",
  too_large: "Enter at most {max}.",
  too_long: "Use at most {max} characters.",
  too_short: "Use at least {min} characters.",
  too_small: "Enter at least {min}.",
  unchanged: "Choose a different one.",
  unknown_login: "No such user.",
  url_credentials: "Remove the username and password.",
  url_fragment: "Remove the fragment (#).",
} as Sentences;

/** What is wrong with a part of the service: as the server says it. */
export const findings = {} as Sentences;
