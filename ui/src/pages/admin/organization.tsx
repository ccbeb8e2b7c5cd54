import { Button } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { AuditHistory } from "../../admin/audit/history";
import { OrganizationForm } from "../../admin/organizations/form";
import { OrganizationMenu } from "../../admin/organizations/menu";
import { Contents, Facts } from "../../admin/organizations/overview";
import { OrganizationSlots } from "../../admin/profiles/organizationslots";
import type { Schema } from "../../api/client";
import { isProblem } from "../../api/problem";
import { Back, Crumb } from "../../parts/back";
import classes from "../../parts/beside.module.css";
import { organizationQuery } from "../../parts/organization";
import { useAssumed } from "../../parts/origin";
import { Loaded, Missing, Page } from "../../parts/page";
import { useMay } from "../../session/hooks";
import { useText } from "../../text";

/** OrganizationPage is an organization's own page: its facts, what belongs to it, what needs doing there, and its history. */
export function OrganizationPage() {
  const t = useText();
  const { id = "" } = useParams({ strict: false });
  const valid = /^[1-9]\d*$/.test(id);
  const query = useQuery({ ...organizationQuery(Number(id)), enabled: valid });
  useAssumed(useMay()("create-organization") ? "/admin/organizations" : undefined);
  if (!valid || isProblem(query.error, "not_found")) {
    return <Missing title={t.person.organization.missing} text={t.person.missingText} back={<Back />} />;
  }
  if (!query.data) {
    return (
      <Page title={t.people.columns.organization} crumb={<Crumb />}>
        <Loaded query={query} height={520}>
          {() => null}
        </Loaded>
      </Page>
    );
  }
  return <Known key={query.data.id} organization={query.data} />;
}

function Known({ organization }: { organization: Schema<"Organization"> }) {
  const t = useText();
  const may = useMay();
  const [open, setOpen] = useState<"edit" | "slots" | null>(null);
  const close = () => setOpen(null);
  return (
    <Page
      title={organization.name}
      crumb={<Crumb />}
      actions={
        may("update-organization") ? (
          <>
            <Button
              variant="default"
              leftSection={<IconPencil size={16} aria-hidden />}
              onClick={() => setOpen("edit")}
            >
              {t.people.organizations.edit}
            </Button>
            <OrganizationMenu
              organization={organization}
              onEdit={() => setOpen("edit")}
              onSlots={() => setOpen("slots")}
            />
          </>
        ) : null
      }
    >
      <div className={classes.page}>
        <div className={classes.side}>
          <Facts organization={organization} />
        </div>
        <div className={classes.main}>
          <Contents organization={organization} />
          <AuditHistory
            title={t.person.history}
            filters={{ organization: organization.id }}
            none={t.person.noHistory}
          />
        </div>
      </div>
      <OrganizationForm target={open === "edit" ? organization : null} onClose={close} />
      <OrganizationSlots organization={open === "slots" ? organization : null} onClose={close} />
    </Page>
  );
}
