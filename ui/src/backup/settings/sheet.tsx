import { useEffect } from "react";
import { createPortal } from "react-dom";
import { day } from "../../parts/when";
import { useLanguage, useText } from "../../text";
import type { Stored } from "../types";
import "./sheet.css";

/** Sheet prints, on one page of paper, how to get everything back; the password is written on it by hand. */
export function Sheet({ stored, onDone }: { stored: Stored; onDone: () => void }) {
  const words = useText().backups.sheet;
  const language = useLanguage();
  useEffect(() => {
    // Some browsers print when this returns, others have done it by then.
    window.addEventListener("afterprint", onDone);
    const timer = setTimeout(() => window.print());
    return () => {
      clearTimeout(timer);
      window.removeEventListener("afterprint", onDone);
    };
  }, [onDone]);
  return createPortal(
    <section className="recovery-sheet" aria-label={words.title}>
      <h1>{words.title}</h1>
      <dl>
        <dt>{words.installation}</dt>
        <dd>{location.origin}</dd>
        <dt>{words.printed}</dt>
        <dd>{day(new Date(), language)}</dd>
        <dt>{words.files}</dt>
        <dd>{stored.location}</dd>
        <dt>{words.names}</dt>
        <dd>
          {stored.prefix}backup-full-YYYYMMDD-HHMMSS.enc ({words.prefix})
        </dd>
      </dl>
      <h2>{words.password}</h2>
      <p>{words.passwordHint}</p>
      <div className="line" />
      <p>{words.valid}:</p>
      <div className="line" />
      <h2>{words.steps}</h2>
      <ol>
        {words.how.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <pre>{words.command}</pre>
      <p>{words.living}</p>
      <p className="warning">{words.safe}</p>
    </section>,
    document.body,
  );
}
