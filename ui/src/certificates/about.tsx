import { Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Copyable } from "../parts/copy";
import { Field, Fields } from "../parts/fields";
import { Free } from "../parts/free";
import { TextLink } from "../parts/link";
import { Panel } from "../parts/page";
import { identified } from "../parts/person";
import { TokenStatus } from "../parts/status";
import { exact, When } from "../parts/when";
import { derOf } from "../pem";
import { useMay } from "../session/hooks";
import { useLanguage, useText } from "../text";
import { type OneCertificate, tokenQuery } from "./queries";
import { Said } from "./said";
import { usages } from "./x509";

/** About shows what a certificate says, and which key it is for. */
export function About({ certificate: c }: { certificate: OneCertificate }) {
  const t = useText();
  const language = useLanguage();
  const words = t.certificates.detail;
  return (
    <Panel title={words.about}>
      <Fields>
        <Field label={words.subject}>{c.subject}</Field>
        <Field label={words.names}>
          {c.sans.length === 0
            ? words.noNames
            : c.sans.map((san) => (
                <div key={`${san.type}${san.value}`}>
                  {san.value}{" "}
                  <Text span size="xs" c="dimmed">
                    {words.sanTypes[san.type]}
                  </Text>
                </div>
              ))}
        </Field>
        {c.profile ? (
          <Field label={words.profile}>
            <Profile name={c.profile} />
          </Field>
        ) : null}
        <Uses pem={c.certificate} />
        <Field label={words.issuer}>{c.issuer}</Field>
        <Field label={words.validity}>
          <span className="numbers">
            {words.validityRange(exact(c.not_before, language), exact(c.not_after, language))}
          </span>
        </Field>
        <Field label={words.serial}>
          <Copyable value={c.serial_number} label={words.serial} />
        </Field>
        <Field label={words.key}>{c.key_algorithm.toUpperCase()}</Field>
        <Field label={words.fingerprint}>
          <Copyable value={c.public_key_sha256} label={words.fingerprint} />
        </Field>
      </Fields>
    </Panel>
  );
}

/** Profile leads to what a profile says, for whoever may look at it. */
function Profile({ name }: { name: string }) {
  const may = useMay();
  if (!may("get-profile")) return <span className="mono">{name}</span>;
  return (
    <TextLink to="/admin/profiles/$name" params={{ name }} className="mono">
      {name}
    </TextLink>
  );
}

/** Uses says what the certificate's key may be used for. */
function Uses({ pem }: { pem: string }) {
  const t = useText();
  const words = t.certificates.detail;
  const found = useMemo(() => {
    try {
      return usages(derOf(pem));
    } catch {
      return null; // what the page can't read, it doesn't speak of
    }
  }, [pem]);
  if (!found) return null;
  return (
    <>
      <Field label={words.keyUsage}>
        <Said names={found.keyUsage} words={t.profiles.keyUsages} />
      </Field>
      <Field label={words.purposes}>
        <Said names={found.purposes} words={t.profiles.purposes} />
      </Field>
    </>
  );
}

/** Where shows the token that holds a certificate, whose it is, and what is known of the key. */
export function Where({ certificate: c }: { certificate: OneCertificate }) {
  const t = useText();
  const words = t.certificates.detail;
  return (
    <Panel title={words.where}>
      <Fields>
        <Holder serial={c.hwkey_serial} />
        <Field label={words.owner}>
          <Owner owner={c.owner} />
        </Field>
        <Field label={words.slot}>
          <span className="mono">{c.slot}</span> · {t.certificates.slots[c.slot]}
        </Field>
        <Field label={words.installed}>{c.installed_at ? <When at={c.installed_at} /> : words.installedNo}</Field>
        <Field label={words.attested}>{c.attested ? words.attestedYes : words.attestedNo}</Field>
        <Proof of={c.attestation} />
        <Field label={words.requested}>{c.issued_by}</Field>
      </Fields>
    </Panel>
  );
}

/** Proof shows what a token proved of its key. */
function Proof({ of: a }: { of: OneCertificate["attestation"] }) {
  const t = useText();
  const words = t.certificates.detail.attestation;
  if (!a) return null;
  return (
    <>
      <Field label={words.pin}>{words.pinPolicies[a.pin_policy]}</Field>
      <Field label={words.touch}>{words.touchPolicies[a.touch_policy]}</Field>
      <Field label={words.firmware}>
        <span className="numbers">{a.firmware_version}</span>
      </Field>
      {a.form_factor ? <Field label={words.formFactor}>{a.form_factor}</Field> : null}
      <Field label={words.root}>{a.root}</Field>
    </>
  );
}

function Holder({ serial }: { serial: string }) {
  const t = useText();
  const words = t.certificates.detail;
  // A token that went to somebody else is out of sight; its serial number stays.
  const token = useQuery(tokenQuery(serial)).data;
  return (
    <Field label={words.token}>
      <Group gap="xs">
        {token ? (
          <TextLink to="/tokens/$serial" params={{ serial }}>
            {token.label || serial}
          </TextLink>
        ) : null}
        <Copyable value={serial} label={words.token} />
        {token ? <TokenStatus value={token.status} /> : null}
      </Group>
    </Field>
  );
}

function Owner({ owner }: { owner: OneCertificate["owner"] }) {
  const t = useText();
  const may = useMay();
  if (!owner) return t.certificates.detail.nobody;
  if (!may("list-users")) return <Free>{identified(owner)}</Free>;
  return (
    <TextLink to="/admin/people/$id" params={{ id: String(owner.id) }}>
      <Free>{identified(owner)}</Free>
    </TextLink>
  );
}
