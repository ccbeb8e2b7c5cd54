import { Button, SimpleGrid, Stack } from "@mantine/core";
import { IconBan } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { isProblem } from "../api/problem";
import { About, Where } from "../certificates/about";
import { Chain } from "../certificates/chain";
import { Files } from "../certificates/files";
import { type Issuers, issuersOf } from "../certificates/issuers";
import { leftToRevoke } from "../certificates/left";
import { certificateQuery, chainQuery, type OneCertificate } from "../certificates/queries";
import { CompromiseDialog, RevokeDialog } from "../certificates/revoke";
import { Standing } from "../certificates/standing";
import { Back, Crumb } from "../parts/back";
import { useAssumed } from "../parts/origin";
import { Loaded, Missing, Page, Panel } from "../parts/page";
import { ProblemAlert } from "../parts/problem";
import { useMay } from "../session/hooks";
import { useText } from "../text";

/** Certificate is everything about one certificate. */
export function Certificate() {
  const t = useText();
  const { serial = "" } = useParams({ strict: false });
  const certificate = useQuery(certificateQuery(serial));
  const chain = useQuery(chainQuery);
  const c = certificate.data;
  useAssumed("/certificates");
  if (isProblem(certificate.error, "not_found")) {
    return <Missing title={t.certificates.detail.missing} text={t.certificates.detail.missingText} back={<Back />} />;
  }
  // Without an answer yet there is nothing to say; without a chain there is none to show.
  const issuers = c && chain.data !== undefined ? issuersOf(c.certificate, chain.data) : null;
  return (
    <Page
      title={c ? t.certificates.detail.title(c.common_name) : t.certificates.columns.name}
      crumb={<Crumb />}
      actions={c ? <Actions key={serial} certificate={c} issuers={issuers} /> : null}
    >
      <Loaded query={certificate} height={560}>
        {(data) => (
          <Stack gap="md">
            <Standing certificate={data} />
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
              <About certificate={data} />
              <Stack gap="md">
                <Where certificate={data} />
                {chain.data === undefined && chain.isError ? (
                  <Panel title={t.certificates.chain.title}>
                    <ProblemAlert error={chain.error} onRetry={() => void chain.refetch()} />
                  </Panel>
                ) : (
                  <Chain certificate={data} issuers={issuers} onRetry={() => void chain.refetch()} />
                )}
              </Stack>
            </SimpleGrid>
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Actions({ certificate, issuers }: { certificate: OneCertificate; issuers: Issuers | null }) {
  const t = useText();
  const may = useMay();
  const [opened, setOpened] = useState<ReturnType<typeof leftToRevoke>>(null);
  const left = leftToRevoke(certificate);
  const close = () => setOpened(null);
  return (
    <>
      <Files certificate={certificate} issuers={Array.isArray(issuers) ? issuers : []} />
      {may("revoke-certificate") && left ? (
        <Button
          variant="default"
          c="var(--mantine-color-red-text)"
          leftSection={<IconBan size={16} aria-hidden />}
          onClick={() => setOpened(left)}
        >
          {left === "key" ? t.certificates.compromise.open : t.certificates.revoke.open}
        </Button>
      ) : null}
      <RevokeDialog certificate={certificate} opened={opened === "certificate"} onClose={close} />
      <CompromiseDialog certificate={certificate} opened={opened === "key"} onClose={close} />
    </>
  );
}
