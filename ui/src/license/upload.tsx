import { Alert, Button, FileButton, Group, Stack, Text, Textarea } from "@mantine/core";
import { IconFile, IconUpload } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { isProblem } from "../api/problem";
import { useAttempt } from "../parts/attempt";
import { useDropping } from "../parts/dropping";
import { Panel } from "../parts/page";
import { done, ProblemAlert } from "../parts/problem";
import { useRecent } from "../session/recent";
import { useText } from "../text";
import { historyKey, licenseQuery, upload } from "./calls";
import { mostBytes, unfitOf } from "./file";
import classes from "./upload.module.css";

/** Upload takes a license file, chosen, dropped or pasted, and says why it is refused. */
export function Upload() {
  const { upload: words } = useText().license;
  const queries = useQueryClient();
  const recently = useRecent();
  const { busy, problem, run, submit, clear } = useAttempt();
  const [content, setContent] = useState("");
  const [wrong, setWrong] = useState<string | null>(null);

  const put = (text: string, why: string | null = null) => {
    setContent(text);
    setWrong(why);
    clear();
  };
  const take = async (file: File) => {
    if (file.size > mostBytes) return put("", words.tooBig);
    try {
      put(await file.text());
    } catch {
      put("", words.unreadable);
    }
  };
  const { zone, chosen, forget } = useDropping(busy, (file) => void take(file));
  const send = async (replaceNewer: boolean) => {
    const unfit = unfitOf(content);
    if (unfit) return setWrong(words[unfit]);
    try {
      const standing = await recently(() => upload(content, replaceNewer));
      queries.setQueryData(licenseQuery.queryKey, standing);
      setContent("");
      done(words.done);
    } finally {
      // A refusal stands in the history, too.
      void queries.invalidateQueries({ queryKey: historyKey });
    }
  };
  const older = isProblem(problem, "license_rejected") && problem.params.reason === "older";

  return (
    <Panel title={words.title}>
      {/* Dropping is an extra: the button inside does the same by keyboard. */}
      <div className={classes.drop} {...zone}>
        <form onSubmit={submit(() => send(false))} noValidate>
          <Stack gap="sm">
            <Text size="sm">{words.what}</Text>
            <Textarea
              label={words.content}
              value={content}
              onChange={(e) => put(e.currentTarget.value)}
              readOnly={busy}
              rows={5}
              spellCheck={false}
              autoComplete="off"
              classNames={{ input: "mono" }}
            />
            <div aria-live="polite">{wrong ? <Alert color="orange">{wrong}</Alert> : null}</div>
            {problem ? <ProblemAlert error={problem} /> : null}
            {older ? (
              <Stack gap="xs" align="flex-start">
                <Text size="sm">{words.olderText}</Text>
                <Button variant="light" color="red" loading={busy} onClick={() => void run(() => send(true))}>
                  {words.older}
                </Button>
              </Stack>
            ) : null}
            <Group justify="space-between" gap="xs">
              <FileButton accept=".license,.json,application/json" disabled={busy} resetRef={forget} onChange={chosen}>
                {(props) => (
                  <Button {...props} variant="default" leftSection={<IconFile size={16} aria-hidden />}>
                    {words.choose}
                  </Button>
                )}
              </FileButton>
              <Button
                type="submit"
                loading={busy}
                disabled={!content.trim()}
                leftSection={<IconUpload size={16} aria-hidden />}
              >
                {words.submit}
              </Button>
            </Group>
          </Stack>
        </form>
      </div>
    </Panel>
  );
}
