import { PasswordInput, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAttempt } from "../../parts/attempt";
import { Dialog, Form } from "../../parts/form";
import { useRecent } from "../../session/recent";
import { useText } from "../../text";
import { retry } from "../calls";
import type { Job } from "../types";

/** RetryDialog has the vault part of a restore done again. */
export function RetryDialog({ job, onClose }: { job: Job; onClose: () => void }) {
  const { retry: words, restore } = useText().backups;
  const navigate = useNavigate();
  const recently = useRecent();
  const attempt = useAttempt();
  const [password, setPassword] = useState("");
  const begin = async () => {
    await recently(() => retry(job.job_id, password));
    await navigate({ to: "/restoring" });
  };
  return (
    <Dialog opened attempt={attempt} onClose={onClose} title={words.title}>
      <Form attempt={attempt} onSubmit={begin} submit={words.action} disabled={!password} onCancel={onClose}>
        <Text size="sm">{words.text}</Text>
        <Text size="sm" className="mono">
          {job.key}
        </Text>
        <PasswordInput
          data-autofocus
          label={restore.password.label}
          description={restore.password.hint}
          autoComplete="off"
          maxLength={1024}
          value={password}
          error={attempt.field("password")}
          onChange={(e) => setPassword(e.currentTarget.value)}
        />
      </Form>
    </Dialog>
  );
}
