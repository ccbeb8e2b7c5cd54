import { Button, Menu } from "@mantine/core";
import { IconDownload, IconPrinter } from "@tabler/icons-react";
import { useState } from "react";
import { download } from "../../api/client";
import { tell } from "../../parts/problem";
import { useText } from "../../text";
import { type Parameters, reportPath } from "./parameters";

/** ReportActions take the report along: on paper, or as a file. */
export function ReportActions({ parameters }: { parameters: Parameters }) {
  const t = useText();
  const [busy, setBusy] = useState(false);
  const take = async (format: "json" | "csv") => {
    setBusy(true);
    try {
      const day = new Date().toISOString().slice(0, 10);
      await download(reportPath(parameters, format), `keyward-compliance-${day}.${format}`);
    } catch (error) {
      tell(error);
    } finally {
      setBusy(false);
    }
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
          <Menu.Item onClick={() => void take("csv")}>{t.compliance.files.csv}</Menu.Item>
          <Menu.Item onClick={() => void take("json")}>{t.compliance.files.json}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
