import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { AuditHistory } from "../../admin/audit/history";
import { useAccess } from "../../admin/people/access";
import { Account } from "../../admin/people/account";
import { PersonActions } from "../../admin/people/actions";
import { AssignToken } from "../../admin/people/assign";
import { useHeld, useInvited } from "../../admin/people/data";
import { EditPerson } from "../../admin/people/details";
import { HeldCertificates, HeldTokens } from "../../admin/people/held";
import { nextOf } from "../../admin/people/next";
import { NextStep } from "../../admin/people/nextstep";
import { Sessions } from "../../admin/people/sessions";
import { personQuery } from "../../admin/queries";
import type { Schema } from "../../api/client";
import { isProblem } from "../../api/problem";
import { Back, Crumb } from "../../parts/back";
import classes from "../../parts/beside.module.css";
import { useAssumed } from "../../parts/origin";
import { Loaded, Missing, Page } from "../../parts/page";
import { called } from "../../parts/person";
import { useText } from "../../text";

/** Person is an account's own page: who it is, what the person holds, what happened, and what to do next. */
export function Person() {
  const t = useText();
  const { id = "" } = useParams({ strict: false });
  const query = useQuery({ ...personQuery(Number(id)), enabled: /^[1-9]\d*$/.test(id) });
  useAssumed("/admin/people");
  if (!/^[1-9]\d*$/.test(id) || isProblem(query.error, "not_found")) {
    return <Missing title={t.person.missing} text={t.person.missingText} back={<Back />} />;
  }
  if (!query.data) {
    return (
      <Page title={t.people.columns.person} crumb={<Crumb />}>
        <Loaded query={query} height={520}>
          {() => null}
        </Loaded>
      </Page>
    );
  }
  return <Known key={query.data.id} user={query.data} />;
}

function Known({ user }: { user: Schema<"User"> }) {
  const t = useText();
  const [open, setOpen] = useState<"edit" | "assign" | null>(null);
  const access = useAccess(user);
  const held = useHeld(user.id);
  const invited = useInvited(user.id, user.waiting);
  const ready = held.ready && !invited.isLoading;
  const next = ready
    ? nextOf({
        user,
        tokens: held.tokens.data?.items ?? [],
        certificates: held.live,
        duties: held.due,
        invited: invited.data ?? null,
      })
    : undefined;
  const assign = () => setOpen("assign");
  return (
    <Page
      title={called(user)}
      crumb={<Crumb />}
      below
      actions={
        <PersonActions
          user={user}
          access={access}
          proposed={next?.what}
          onEdit={() => setOpen("edit")}
          onAssign={assign}
        />
      }
    >
      {next ? (
        <NextStep user={user} next={next} access={access} onAssign={assign} />
      ) : held.failed ? null : (
        <Skeleton h={{ base: 180, xs: 78 }} radius="lg" role="status" aria-label={t.common.loading} />
      )}
      <div className={classes.page}>
        <div className={classes.side}>
          <Account user={user} />
          <div className={classes.late}>
            <Sessions user={user} />
          </div>
        </div>
        <div className={classes.main}>
          <HeldTokens id={user.id} held={held} />
          <HeldCertificates id={user.id} held={held} />
          <div className={classes.last}>
            <AuditHistory title={t.person.history} filters={{ person: user.id }} none={t.person.noHistory} />
          </div>
        </div>
      </div>
      <EditPerson user={user} opened={open === "edit"} onClose={() => setOpen(null)} />
      <AssignToken user={user} opened={open === "assign"} onClose={() => setOpen(null)} />
      {access.dialogs}
    </Page>
  );
}
