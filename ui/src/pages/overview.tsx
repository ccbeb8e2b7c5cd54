import { useQuery } from "@tanstack/react-query";
import { ManagerOverview } from "../overview/manager";
import { endedQuery, mineQuery } from "../overview/queries";
import { UserOverview } from "../overview/user";
import { Loaded, Page } from "../parts/page";
import { useMay, useMe } from "../session/hooks";
import { useText } from "../text";

/** Overview says what needs doing, to whoever signed in. */
export function Overview() {
  const t = useText();
  const me = useMe();
  const manages = useMay()("compliance-report");
  const mine = useQuery(mineQuery(me.id));
  const certificates = useQuery(endedQuery(me.id));
  return (
    <Page title={t.overview.title}>
      <Loaded query={mine} height={320}>
        {(tokens) => {
          const own = { tokens, certificates };
          return manages ? <ManagerOverview {...own} /> : <UserOverview {...own} />;
        }}
      </Loaded>
    </Page>
  );
}
