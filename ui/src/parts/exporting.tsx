import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { save } from "../api/client";
import { type Catalogue, texts, useLanguage, useText } from "../text";
import { csvLine, type Field, mark } from "./csv";
import { pages } from "./everything";
import { Saving, useSaves } from "./saving";

/** Csv is what a list is as a file. */
export type Csv<T> = {
  /** What it lists; names the file, too. */
  of: keyof Catalogue["common"]["exports"]["kinds"];
  /** Whose they are, such as a token's serial: it stands in the file's name. */
  owner?: string;
  /** Something is left out. */
  filtered: boolean;
  fields: readonly Field<T>[];
};

type Fetch<T> = (cursor: string | undefined, limit: number) => Promise<{ items: T[]; next_cursor: string | null }>;

const saving = new Saving<number>("list-export", Rows);

function Rows({ progress: rows }: { progress: number }) {
  const language = useLanguage();
  return useText().common.exports.rows(rows, new Intl.NumberFormat(language).format(rows));
}

function run<T>({ of, owner, fields }: Csv<T>, title: string, fetch: Fetch<T>, language: string): Promise<void> {
  return saving.run({
    title,
    begin: 0,
    make: async (signal, told) => {
      const parts = [mark, csvLine(fields.map(([name]) => name))];
      let rows = 0;
      const take = (items: T[]) => {
        parts.push(items.map((item) => csvLine(fields.map(([, value]) => value(item)))).join(""));
        rows += items.length;
        told(rows);
      };
      await pages(fetch, take, signal);
      const name = owner ? `${of}-${owner.replace(/[^\w.-]/g, "_")}` : of;
      const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
      save(new Blob(parts, { type: "text/csv" }), `keyward-${name}-${stamp}.csv`);
      return texts().common.exports.done(rows, new Intl.NumberFormat(language).format(rows));
    },
  });
}

/** ExportButton saves every row of a list that its filters let through, as a file. */
export function ExportButton<T>({ csv, fetch }: { csv: Csv<T>; fetch: Fetch<T> }) {
  const language = useLanguage();
  const words = useText().common.exports;
  const label = (csv.filtered ? words.filtered : words.all)(words.kinds[csv.of]);
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      leftSection={<IconDownload size={15} aria-hidden />}
      disabled={useSaves(saving)}
      onClick={() => void run(csv, label, fetch, language)}
    >
      {label}
    </Button>
  );
}
