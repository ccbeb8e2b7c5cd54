import { Card } from "@mantine/core";
import { IconCertificate, IconSearch } from "@tabler/icons-react";
import { FilterBar } from "../certificates/filterbar";
import { CertificateList } from "../certificates/list";
import { type Order, readOrder, usualOrder } from "../certificates/order";
import { readFilters } from "../certificates/show";
import { UnrecordedList } from "../certificates/unrecordedlist";
import { useAddress } from "../parts/address";
import { ButtonLink } from "../parts/link";
import { Empty, Page } from "../parts/page";
import { useMay } from "../session/hooks";
import { useText } from "../text";

/** Certificates lists the certificates that the person may see. */
export function Certificates() {
  const t = useText();
  const may = useMay();
  const words = t.certificates.empty;
  const { get, set } = useAddress();
  const filters = readFilters(get);
  const order = readOrder(get, filters);
  const onOrder = (to: Order) => set({ sort: to === usualOrder(filters) ? undefined : to });
  const filtered = Object.keys(filters).length > 0;
  return (
    <Page title={t.certificates.title}>
      <Card style={{ overflow: "visible" }}>
        <FilterBar filters={filters} />
        <CertificateList
          filters={filters}
          order={order}
          onOrder={onOrder}
          empty={
            filtered ? (
              <Empty icon={IconSearch} title={words.none} text={words.noneText} />
            ) : (
              <Empty
                icon={IconCertificate}
                title={words.title}
                text={words.text}
                action={<ButtonLink to="/tokens">{words.action}</ButtonLink>}
              />
            )
          }
        />
      </Card>
      {may("list-unrecorded-certificates") ? <UnrecordedList /> : null}
    </Page>
  );
}
