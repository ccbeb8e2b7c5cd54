import { Text } from "@mantine/core";
import { slotName } from "../../overview/minetasks";
import { Free } from "../../parts/free";
import { Lifetime } from "../../parts/lifetime";
import { TextLink } from "../../parts/link";
import { Loaded, Panel } from "../../parts/page";
import { CertificateStatus, TokenStatus } from "../../parts/status";
import { useText } from "../../text";
import type { Held } from "./data";
import { dueWords } from "./due";
import classes from "./panels.module.css";

const most = 8;
type Props = { id: number; held: Held };

/** HeldTokens lists the tokens of a person, each with what is due. */
export function HeldTokens({ id, held: { tokens, due } }: Props) {
  const t = useText();
  const words = t.person.tokens;
  const all = (
    <TextLink to="/admin/tokens" search={{ owner: id }} size="sm">
      {words.all}
    </TextLink>
  );
  return (
    <Panel title={words.title} aside={tokens.data && tokens.data.items.length > 0 ? all : undefined}>
      <Loaded query={tokens} height={48}>
        {({ items }) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed">
              {words.none}
            </Text>
          ) : (
            <ul className={classes.rows} aria-label={words.title}>
              {items.slice(0, most).map((token) => {
                const said = due
                  .filter((d) => d.token.serial === token.serial && d.kind !== "suspended") // its status says so
                  .map((d) => dueWords(t, d));
                return (
                  <li key={token.serial} className={classes.row}>
                    <div>
                      <TextLink to="/tokens/$serial" params={{ serial: token.serial }} fw={600} className="mono">
                        {token.serial}
                      </TextLink>{" "}
                      <Text span size="sm" c="dimmed">
                        <Free>{[token.label, token.model].filter(Boolean).join(" · ")}</Free>
                      </Text>
                      {said.filter(Boolean).map((text) => (
                        <Text key={text} size="sm" className={classes.due}>
                          {text}
                        </Text>
                      ))}
                    </div>
                    <TokenStatus value={token.status} />
                  </li>
                );
              })}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

/** HeldCertificates lists the certificates of a person that are valid, those that end first before the others. */
export function HeldCertificates({ id, held: { certificates, live } }: Props) {
  const t = useText();
  const words = t.person.certificates;
  const all = (
    <TextLink to="/certificates" search={{ owner: id }} size="sm">
      {words.all}
    </TextLink>
  );
  return (
    <Panel title={words.title} aside={certificates.data && certificates.data.items.length > 0 ? all : undefined}>
      <Loaded query={certificates} height={48}>
        {({ items }) =>
          live.length === 0 ? (
            <Text size="sm" c="dimmed">
              {items.length > 0 ? words.noneLive : words.none}
            </Text>
          ) : (
            <ul className={classes.rows} aria-label={words.title}>
              {live.slice(0, most).map((c) => (
                <li key={c.serial_number} className={`${classes.row} ${classes.life}`}>
                  <div>
                    <TextLink to="/certificates/$serial" params={{ serial: c.serial_number }} fw={600}>
                      {slotName(t, c.slot)}
                    </TextLink>{" "}
                    <Text span size="sm" c="dimmed" className="mono">
                      {c.hwkey_serial}
                    </Text>
                  </div>
                  <Lifetime notBefore={c.not_before} notAfter={c.not_after} />
                  <CertificateStatus certificate={c} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}
