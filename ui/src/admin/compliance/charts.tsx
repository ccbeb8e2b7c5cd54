import { fills } from "../../parts/fills";
import { Panel } from "../../parts/page";
import { useText } from "../../text";
import { Bars } from "./bars";
import classes from "./charts.module.css";
import { ExpiryPanel } from "./columns";
import type { Whole } from "./merge";
import * as places from "./places";

/** Charts are the fleet by status and firmware, what its keys are known by, when certificates end, and why secrets were released. */
export function Charts({ whole, organization }: { whole: Whole; organization: number | undefined }) {
  const t = useText();
  const words = t.compliance.charts;
  const policies = t.certificates.detail.attestation;
  const proofs = whole.proofs;
  return (
    <div className={classes.charts}>
      <div id="by-status" className={classes.section}>
        <Panel title={words.status}>
          <Bars
            label={words.status}
            total={whole.tokens}
            empty={words.noTokens}
            rows={whole.byStatus.map(({ status, count }) => ({
              key: status,
              name: t.common.status[status],
              count,
              fill: fills[status],
              list: places.status(status, organization),
            }))}
          />
        </Panel>
      </div>
      <Panel title={words.firmware}>
        <Bars
          label={words.firmware}
          total={whole.tokens}
          empty={words.noTokens}
          rows={whole.byFirmware.map(({ name, count }) => ({
            key: name,
            name: name ? <span className="mono">{name}</span> : words.unknownFirmware,
            count,
            list: places.firmware(name, organization),
            said: name || words.unknownFirmware,
          }))}
        />
      </Panel>
      <Panel title={words.proofs}>
        <Bars
          label={words.proofs}
          total={proofs.attested + proofs.notAttested}
          wide
          empty={words.noCertificates}
          rows={[
            ...proofs.keys.map((p) => ({
              key: `${p.firmware_version} ${p.pin_policy} ${p.touch_policy}`,
              name: words.proof(
                p.firmware_version,
                policies.pinPolicies[p.pin_policy],
                policies.touchPolicies[p.touch_policy],
              ),
              count: p.count,
            })),
            {
              key: "",
              name: words.notAttested,
              count: proofs.notAttested,
              fill: "var(--mantine-color-orange-filled)",
              list: places.unattested(organization),
            },
          ]}
        />
      </Panel>
      <ExpiryPanel
        weeks={whole.weeks}
        later={whole.later}
        valid={whole.proofs.attested + whole.proofs.notAttested}
        organization={organization}
      />
      <div id="releases" className={classes.section}>
        <Panel title={words.reasons}>
          <Bars
            label={words.reasons}
            total={whole.releases}
            wide
            empty={words.noReleases}
            rows={whole.byReason.map(({ name, count }) => ({ key: name, name: name || words.ownReason, count }))}
          />
        </Panel>
      </div>
    </div>
  );
}
