import { Button, Menu } from "@mantine/core";
import { IconDownload, IconPrinter } from "@tabler/icons-react";
import { download } from "../../api/client";
import { useAttempt } from "../../parts/attempt";
import { tell } from "../../parts/problem";
import { useText } from "../../text";
import { type Parameters, reportPath } from "./parameters";

/** ReportActions take the report along: on paper, or as a file. */
export function ReportActions({ parameters }: { parameters: Parameters }) {
  const t = useText();
  const { busy, run } = useAttempt();
  const take = (format: "json" | "csv") => {
    const day = new Date().toISOString().slice(0, 10);
    void run(() => download(reportPath(parameters, format), `keyward-compliance-${day}.${format}`).catch(tell));
  };
  return (
    <>
      <Button
        className="no-print"
        variant="default"
        leftSection={<IconPrinter size={16} aria-hidden />}
        onClick={() => window.print()}
      >
        {t.compliance.print}
      </Button>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <Button
            className="no-print"
            variant="default"
            loading={busy}
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            {t.compliance.files.button}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => take("csv")}>{t.compliance.files.csv}</Menu.Item>
          <Menu.Item onClick={() => take("json")}>{t.compliance.files.json}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
