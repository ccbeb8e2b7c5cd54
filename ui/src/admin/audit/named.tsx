import { Text } from "@mantine/core";
import { Free } from "../../parts/free";
import { TextLink } from "../../parts/link";
import { OrganizationLink, PersonLink } from "../../parts/personlink";
import { useMay } from "../../session/hooks";
import { useText } from "../../text";
import { actorName, targetName } from "./actions";
import type { Entry } from "./fold";

/** Actor is who did it: a person by today's name, with the way to their page. */
export function Actor({ entry: e }: { entry: Entry }) {
  const t = useText();
  const name = e.actor_name || actorName(t.audit, e.actor);
  const free = <Free title={e.actor_name && e.actor_name !== e.actor ? e.actor : undefined}>{name}</Free>;
  if (e.actor_id === null || !e.actor_name) return free;
  return (
    <PersonLink id={e.actor_id} inherit>
      {free}
    </PersonLink>
  );
}

/** Target is what it is about, by name where that is known, with the way to its page. */
export function Target({ entry: e, whole = false }: { entry: Entry; whole?: boolean }) {
  const t = useText();
  const may = useMay();
  const { name, id } = targetName(t.audit, e);
  const kind = (
    <Text span inherit c="dimmed">
      {name}
    </Text>
  );
  const called = e.target_name ? <Free>{e.target_name}</Free> : null;
  const number = Number(e.target_id);
  if (called && e.target_type === "user") {
    return (
      <>
        {kind}{" "}
        <PersonLink id={number} inherit>
          {called}
        </PersonLink>
      </>
    );
  }
  if (called && e.target_type === "organization") {
    return (
      <>
        {kind}{" "}
        <OrganizationLink id={number} inherit>
          {called}
        </OrganizationLink>
      </>
    );
  }
  if (called && e.target_type === "session") return <Free>{t.audit.sessionOf(e.target_name)}</Free>;
  // Of a serial number of forty digits, a line has room for the beginning.
  const text = whole || id.length <= 24 ? id : `${id.slice(0, 12)}…`;
  const shown = (
    <span className="mono" title={text === id ? undefined : id}>
      {text}
    </span>
  );
  if (!id) return kind;
  if (e.target_type === "hwkey") {
    return (
      <>
        {kind}{" "}
        <TextLink to="/tokens/$serial" params={{ serial: e.target_id }} inherit>
          {shown}
        </TextLink>
      </>
    );
  }
  if (e.target_type === "certificate") {
    return (
      <>
        {kind}{" "}
        <TextLink to="/certificates/$serial" params={{ serial: e.target_id }} inherit>
          {shown}
        </TextLink>
      </>
    );
  }
  if (e.target_type === "ca" && may("list-cas")) {
    return (
      <>
        {kind}{" "}
        <TextLink to="/admin/cas" inherit>
          {shown}
        </TextLink>
      </>
    );
  }
  return (
    <>
      {kind} {shown}
    </>
  );
}
