import { Loader, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { isProblem } from "../../api/problem";
import { ProblemAlert } from "../../parts/problem";
import { Warning } from "../../parts/warning";
import { useLanguage, useText } from "../../text";
import { say } from "../../text/say";
import classes from "./preview.module.css";
import { type Previewed, previewQuery } from "./queries";

/** How long nobody must have typed before the server is asked, in milliseconds. */
const pause = 400;

/**
 * Preview shows the certificate that would come out of a profile, for a made-up person or a token's owner. profile is
 * its name, or a whole one that is not saved: the same object until it changes.
 */
export function Preview({ profile }: { profile: Previewed }) {
  const { profiles, common, sentences } = useText();
  const words = profiles.preview;
  const language = useLanguage();
  const [serial, setSerial] = useState("");
  const [asked] = useDebouncedValue(profile, pause);
  const [token] = useDebouncedValue(serial.trim(), pause);
  // A question that is no longer asked is cancelled.
  const query = useQuery({ ...previewQuery(asked, token), placeholderData: keepPreviousData });
  const { data, error } = query;
  return (
    <Stack gap="sm">
      <TextInput
        label={words.serial}
        description={words.serialHint}
        value={serial}
        onChange={(event) => setSerial(event.currentTarget.value)}
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        rightSection={query.isFetching ? <Loader size={14} aria-hidden /> : null}
      />
      {error ? (
        <ProblemAlert error={error} {...(isProblem(error, "invalid_request") && { title: words.unsavable })} />
      ) : data ? (
        <>
          {data.certificate === null ? <Warning danger>{words.none}</Warning> : null}
          {data.sentences.map((sentence) => (
            <Warning key={sentence.text}>{say(sentence, sentences, language)}</Warning>
          ))}
          {data.text ? (
            <figure className={classes.figure}>
              <figcaption>{words.certificate}</figcaption>
              <pre className={classes.text}>{data.text}</pre>
            </figure>
          ) : null}
        </>
      ) : (
        <Text size="sm" c="dimmed">
          {common.loading}
        </Text>
      )}
    </Stack>
  );
}
