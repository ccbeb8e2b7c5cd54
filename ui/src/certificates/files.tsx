import { Button, Menu } from "@mantine/core";
import { IconChevronDown, IconDownload } from "@tabler/icons-react";
import { save } from "../api/client";
import { derOf } from "../pem";
import { useText } from "../text";
import type { Issuer } from "./issuers";
import type { OneCertificate } from "./queries";

type Props = {
  certificate: OneCertificate;
  /** Root last; none when they are not known. */
  issuers: readonly Issuer[];
};

const pemType = "application/x-pem-file";

/** Files offers a certificate in the forms that programs ask for. */
export function Files({ certificate: c, issuers }: Props) {
  const t = useText();
  const words = t.certificates.files;
  const name = `${c.common_name.replace(/[^A-Za-z0-9._-]+/g, "_") || "certificate"}-${c.serial_number.slice(0, 8)}`;
  const pem = c.certificate.endsWith("\n") ? c.certificate : `${c.certificate}\n`;
  const [ca] = issuers;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          {words.menu}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => save(new Blob([pem], { type: pemType }), `${name}.pem`)}>{words.pem}</Menu.Item>
        <Menu.Item onClick={() => save(new Blob([derOf(pem)], { type: "application/pkix-cert" }), `${name}.cer`)}>
          {words.der}
        </Menu.Item>
        {ca ? (
          <>
            <Menu.Item
              onClick={() =>
                save(new Blob([pem, ...issuers.map((i) => i.pem)], { type: pemType }), `${name}-chain.pem`)
              }
            >
              {words.chain}
            </Menu.Item>
            <Menu.Item onClick={() => save(new Blob([ca.pem], { type: pemType }), "keyward-ca.pem")}>
              {words.ca}
            </Menu.Item>
          </>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  );
}
