import { Button, Divider, Group, Stack, Text, Title } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { download } from "../../api/client";
import { useAttempt } from "../../parts/attempt";
import { Copyable } from "../../parts/copy";
import { tell } from "../../parts/problem";
import { When } from "../../parts/when";
import { useLanguage, useText } from "../../text";
import classes from "./detail.module.css";
import type { Seal } from "./freshness";

const check = "keyward audit verify --data DIR";

/** SealDetail shows the signed head of the chain, what it means, and how anybody checks it. */
export function SealDetail({ seal }: { seal: Seal }) {
  const t = useText();
  const number = new Intl.NumberFormat(useLanguage());
  const words = t.audit.seal;
  const { busy, run } = useAttempt();
  const head = () => {
    const stamp = (seal.sealed_at ?? "").replace(/[-:]|\.\d+/g, "");
    void run(() => download("/api/admin/audit/seal", `keyward-audit-head-${stamp}.json`).catch(tell));
  };
  return (
    <Stack gap="sm" pt="sm">
      <Text size="sm" maw={760}>
        {words.meaning}
      </Text>
      {seal.sealed_at ? (
        <dl className={classes.fields}>
          <dt>{words.lastId}</dt>
          <dd className="numbers">{number.format(seal.last_sealed_id)}</dd>
          <dt>{words.sealedAt}</dt>
          <dd>
            <When at={seal.sealed_at} as="exact" />
          </dd>
          {seal.oldest_unsealed_at ? (
            <>
              <dt>{words.oldest}</dt>
              <dd>
                <When at={seal.oldest_unsealed_at} as="exact" />
              </dd>
            </>
          ) : null}
          <dt>{words.hash}</dt>
          <dd>
            <Copyable value={seal.hash} label={words.hash} />
          </dd>
          <dt>{words.publicKey}</dt>
          <dd>
            <Copyable value={seal.public_key} label={words.publicKey} />
          </dd>
          <dt>{words.keyId}</dt>
          <dd className="mono">{seal.key_id}</dd>
          <dt>{words.position}</dt>
          <dd className="numbers">{words.positionOf(number.format(seal.segment), number.format(seal.batch))}</dd>
        </dl>
      ) : null}
      <Divider />
      <Title order={2} size="h3">
        {words.verify}
      </Title>
      <Text size="sm" maw={760}>
        {words.verifyText}
      </Text>
      <Copyable value={check} label={words.verify} />
      {seal.sealed_at ? (
        <>
          <Text size="sm" maw={760}>
            {words.headText}
          </Text>
          <Copyable value={`${check} --public-key ${seal.public_key} --head FILE`} label={words.verify} />
          <Group>
            <Button
              variant="default"
              leftSection={<IconDownload size={16} aria-hidden />}
              loading={busy}
              onClick={head}
            >
              {words.head}
            </Button>
          </Group>
        </>
      ) : null}
    </Stack>
  );
}
