import { SimpleGrid, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { historyKey, licenseQuery, remove } from "../../license/calls";
import { Details, Installation } from "../../license/details";
import { History } from "../../license/history";
import { State } from "../../license/state";
import { Upload } from "../../license/upload";
import { ConfirmDialog } from "../../parts/confirm";
import { Loaded, Page } from "../../parts/page";
import { done } from "../../parts/problem";
import { useMay } from "../../session/hooks";
import { useRecent } from "../../session/recent";
import { useText } from "../../text";

/** LicensePage is about the license: how long it lasts, what is in it, and how another one gets here. */
export function LicensePage() {
  const words = useText().license;
  const may = useMay();
  const query = useQuery(licenseQuery);
  const [removing, setRemoving] = useState(false);
  return (
    <Page title={words.title}>
      <Loaded query={query} height={{ base: 620, md: 420 }}>
        {(license) => (
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <Stack gap="md">
              <State
                license={license}
                onRemove={license.license && may("remove-license") ? () => setRemoving(true) : undefined}
              />
              <Details license={license} />
            </Stack>
            <Stack gap="md">
              <Installation id={license.installation_id} />
              {may("upload-license") && !license.no_public_key ? <Upload /> : null}
            </Stack>
          </SimpleGrid>
        )}
      </Loaded>
      <History />
      <Removal opened={removing} onClose={() => setRemoving(false)} />
    </Page>
  );
}

function Removal({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const words = useText().license.remove;
  const queries = useQueryClient();
  const recently = useRecent();
  const confirm = async () => {
    await recently(remove);
    done(words.done);
    await queries.invalidateQueries({ queryKey: licenseQuery.queryKey });
    void queries.invalidateQueries({ queryKey: historyKey });
  };
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      onConfirm={confirm}
      title={words.title}
      action={words.submit}
      danger
    >
      <Text size="sm">{words.text}</Text>
    </ConfirmDialog>
  );
}
