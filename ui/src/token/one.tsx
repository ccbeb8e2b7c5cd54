import { Group, SimpleGrid } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useAgent } from "../agent/state";
import { assigning } from "../desk/queue";
import { NoteButton } from "../desk/sheets";
import { useAddress } from "../parts/address";
import { Back, Crumb } from "../parts/back";
import { ButtonLink } from "../parts/link";
import { useAssumed } from "../parts/origin";
import { Loaded, Missing, Page } from "../parts/page";
import { called } from "../parts/person";
import { useSettled } from "../parts/settle";
import { useGranted, useWish } from "../parts/wish";
import { useMay, useMe } from "../session/hooks";
import { useText } from "../text";
import { TokenCard } from "./card";
import { profilesQuery, useDevice } from "./data";
import { FlowDialog } from "./dialog";
import { AgentFailure } from "./failurepanel";
import { History } from "./history";
import { type Device, type Request, withToken } from "./next";
import { AgentPill } from "./pill";
import { Records } from "./records";
import { StatusActions } from "./status";

/** OneToken is a token's own page: all that is known of it, and all that can be done with it. */
export function OneToken() {
  const words = useText().tokens;
  const { serial = "" } = useParams({ strict: false });
  const query = useDevice(serial);
  const me = useMe();
  const manages = useMay()("register-hwkey");
  const own = !manages || query.data?.owner?.id === me.id;
  useAssumed(query.data === undefined ? undefined : own ? "/tokens" : "/admin/tokens");
  // What troubles the agent stands above the token, and would push it down.
  const looked = useSettled(useAgent().kind !== "checking");
  // What its slots are for stands in lines of its own.
  const profiles = useQuery(profilesQuery(serial));
  const told = useSettled(!profiles.isPending);
  if (query.data === null) {
    return <Missing title={words.page.missing} text={words.page.missingText} back={<Back />} />;
  }
  return (
    <Page
      title={query.data?.owner ? words.page.title(called(query.data.owner), serial) : serial}
      crumb={<Crumb />}
      actions={<AgentPill />}
      below
    >
      <Loaded query={query} height={320} wait={!looked || !told}>
        {(device) => (device ? <Known key={device.serial} device={device} /> : null)}
      </Loaded>
    </Page>
  );
}

function Known({ device: record }: { device: Device }) {
  const me = useMe();
  const may = useMay();
  const agent = useAgent();
  const address = useAddress();
  const navigate = useNavigate();
  const [request, setRequest] = useState<Request | null>(null);
  const [wish, forget] = useWish();
  const begin = (next: Request) => {
    setRequest(next);
    forget();
    // What was to be gone on with is begun: a reload shows the token alone.
    const search = (old: object) => ({ ...old, continue: undefined });
    if (address.get("continue")) void navigate({ to: ".", search, replace: true, resetScroll: false });
  };
  const token = "tokens" in agent ? agent.tokens.find((p) => p.serial === record.serial) : undefined;
  const plugged = token !== undefined;
  const looking = !plugged && (agent.kind === "checking" || ("reading" in agent && agent.reading));
  const device = withToken(record, token);
  return (
    <>
      <AgentFailure />
      <TokenCard
        device={device}
        plugged={plugged}
        looking={looking}
        mine={device.owner?.id === me.id}
        onFlow={(_, next) => begin(next)}
        resume={address.get("continue")}
        wish={wish}
        onVain={forget}
        whole
        extra={
          <Group gap="xs">
            <StatusActions device={device} />
            {may("bulk-hwkeys") && device.owner ? <ToReplace serial={device.serial} /> : null}
            {may("bulk-hwkeys") && device.owner && device.status !== "lost" && device.status !== "retired" ? (
              <NoteButton device={device} />
            ) : null}
            {may("bulk-hwkeys") && !device.owner && device.status === "in_stock" ? (
              <ToDesk serial={device.serial} />
            ) : null}
          </Group>
        }
      />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
        <Records serial={device.serial} />
        {may("hwkey-history") ? <History serial={device.serial} /> : null}
      </SimpleGrid>
      {request ? (
        <FlowDialog
          key={`${request.what} ${request.slot ?? ""}`}
          device={device}
          request={request}
          onClose={() => setRequest(null)}
        />
      ) : null}
    </>
  );
}

/** ToReplace leads to where the token's owner gets another one in its place. */
function ToReplace({ serial }: { serial: string }) {
  const navigate = useNavigate();
  useGranted("replace", () => void navigate({ to: "/tokens/$serial/replace", params: { serial }, replace: true }));
  return (
    <ButtonLink variant="default" to="/tokens/$serial/replace" params={{ serial }}>
      {useText().replace.open}
    </ButtonLink>
  );
}

/** ToDesk leads to where a token of the stock is given to somebody. */
function ToDesk({ serial }: { serial: string }) {
  return (
    <ButtonLink variant="default" to="/admin/desk" state={{ wish: assigning + serial }}>
      {useText().tokens.other.assign}
    </ButtonLink>
  );
}
