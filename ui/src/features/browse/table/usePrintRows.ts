import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { type Words, cellText } from '@/base/values/cells';
import { showProblemNotice } from '@/components/notices/problemNotice';
import type { PrintedTable } from '@/components/page/PrintTable';
import { type SpanForm, commands } from '@/ipc/bindings';
import { pickRows } from './clipboard';
import { type TableColumn, valueIn } from './columns';
import { shownColumns } from './tableLook';
import type { Table } from './useTable';

/** More rows go into a file. */
export const mostPrinted = 2000;

type Given = { title: string; set: number | null; table: Table; columns: readonly TableColumn[]; words: Words & { spans: SpanForm }; ticked: readonly number[] };
type Printing = { paper: PrintedTable | null; print: () => void; busy: boolean };

/** Puts the ticked rows, else those that are shown, on paper, as the table shows them. */
export function usePrintRows({ title, set, table, columns, words, ticked }: Given): Printing {
  const { t } = useTranslation();
  const { number, moment } = useFormats();
  const [paper, setPaper] = useState<PrintedTable | null>(null);
  const { arrangement, view } = table;
  useEffect(() => {
    const after = () => setPaper(null);
    window.addEventListener('afterprint', after);
    return () => window.removeEventListener('afterprint', after);
  }, []);
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      if (set === null) return;
      const chosen = new Set(ticked);
      const all = await commands.browsePositions(set, arrangement, 0, everything);
      const wanted = ticked.length > 0 ? all.filter((at) => chosen.has(at)) : all;
      const shown = shownColumns(columns, view.columns);
      const rows = await pickRows(set, wanted.slice(0, mostPrinted));
      const places = { count: wanted.length, rows: number(rows.length), of: number(wanted.length), time: moment(new Date().toISOString()) };
      setPaper({
        title,
        about: t(rows.length < wanted.length ? 'table.printedPart' : 'table.printed', places),
        head: shown.map(({ label }) => label),
        rows: rows.map((row) => shown.map((column) => cellText(valueIn(row, column), column.field, words))),
      });
      // The page must hold the table before the system reads it.
      await new Promise((done) => setTimeout(done, 150));
      await commands.windowPrint();
    },
    onError: (error) => {
      setPaper(null);
      showProblemNotice(error);
    },
  });
  return { paper, print: mutate, busy: isPending };
}

const everything = 4_000_000_000;
