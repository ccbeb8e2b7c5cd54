import { Tooltip } from "@mantine/core";
import { useLanguage, useText } from "../text";
import { lifespan } from "./lifespan";
import classes from "./lifetime.module.css";
import { day, useMinute } from "./when";

type Props = {
  notBefore: string;
  notAfter: string;
  /** issued, revoked or expired, as the server says; a card's own certificate has none. */
  status?: string;
  /** Leave the words out, where they stand beside it already. */
  bare?: boolean;
};

/** Lifetime is what is left of a certificate's life, as a bar that grows shorter, and in words. */
export function Lifetime({ notBefore, notAfter, status = "issued", bare = false }: Props) {
  const words = useText().common.lifetime;
  const language = useLanguage();
  useMinute();
  const life = lifespan(notBefore, notAfter, status);
  const said = words[life.standing](Math.abs(life.days));
  const range = words.range(day(notBefore, language), day(notAfter, language));
  return (
    <Tooltip label={range}>
      <div className={`${classes.row} ${classes[life.standing] ?? ""}`}>
        <div className={classes.track} role="img" aria-label={`${said}. ${range}`}>
          <div className={classes.fill} style={{ width: `${Math.max(2, life.left * 100)}%` }} />
        </div>
        {bare ? null : (
          <span className={classes.words} aria-hidden="true">
            {said}
          </span>
        )}
      </div>
    </Tooltip>
  );
}
