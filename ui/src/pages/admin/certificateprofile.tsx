import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Details } from "../../admin/profiles/details";
import { Manage } from "../../admin/profiles/manage";
import { profileQuery } from "../../admin/profiles/queries";
import { isProblem } from "../../api/problem";
import { Back } from "../../parts/back";
import { useAssumed } from "../../parts/origin";
import { Loaded, Missing, Page } from "../../parts/page";
import { useText } from "../../text";

/** CertificateProfile shows one profile, and changes it. */
export function CertificateProfile() {
  const words = useText().profiles;
  const { name = "" }: { name?: string } = useParams({ strict: false });
  const query = useQuery(profileQuery(name));
  useAssumed("/admin/profiles");
  if (isProblem(query.error, "not_found")) {
    return <Missing title={words.missing} text={words.missingText} back={<Back />} />;
  }
  return (
    <Page title={name} crumb={<Back />} actions={query.data ? <Manage key={name} profile={query.data} /> : null}>
      <Loaded query={query} height={420}>
        {(profile) => <Details profile={profile} />}
      </Loaded>
    </Page>
  );
}
