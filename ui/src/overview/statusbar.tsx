import { Tooltip } from "@mantine/core";
import { fills } from "../parts/fills";
import { TextLink } from "../parts/link";
import { TokenStatus } from "../parts/status";
import { useLanguage, useText } from "../text";
import classes from "./charts.module.css";
import type { Fleet } from "./fleet";

const order = ["active", "assigned", "in_stock", "suspended", "lost", "retired"] as const;

/** StatusBar divides a bar among the statuses of tokens. Each status below it leads to its tokens. */
export function StatusBar({ byStatus, total }: Pick<Fleet, "byStatus" | "total">) {
  const t = useText();
  const number = new Intl.NumberFormat(useLanguage());
  return (
    <>
      <div className={classes.share} aria-hidden>
        {order.map((status) =>
          byStatus[status] > 0 ? (
            <Tooltip key={status} label={`${t.common.status[status]}: ${number.format(byStatus[status])}`}>
              <div style={{ width: `${(byStatus[status] / total) * 100}%`, background: fills[status] }} />
            </Tooltip>
          ) : null,
        )}
      </div>
      <ul className={classes.legend}>
        {order.map((status) => (
          <li key={status}>
            <TokenStatus value={status} />
            <TextLink
              to="/admin/tokens"
              search={{ status }}
              className="numbers"
              aria-label={`${t.common.status[status]}: ${number.format(byStatus[status])}`}
            >
              {number.format(byStatus[status])}
            </TextLink>
          </li>
        ))}
      </ul>
    </>
  );
}
