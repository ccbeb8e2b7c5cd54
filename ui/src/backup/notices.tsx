import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { When } from "../parts/when";
import { useText } from "../text";
import type { Job } from "./types";

/** FailedBackup says that the latest backup failed, and why. */
export function FailedBackup({ job, onDetails }: { job: Job; onDetails: () => void }) {
  const words = useText().backups.notices;
  return (
    <Alert role="alert" color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} title={words.failed}>
      <Stack gap="xs">
        <Text size="sm">
          {job.error_message}{" "}
          <Text span inherit c="dimmed">
            <When at={job.finished_at ?? job.created_at} as="both" />
          </Text>
        </Text>
        <Group>
          <Button size="xs" variant="default" onClick={onDetails}>
            {words.details}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
