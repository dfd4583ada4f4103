import { Checkbox, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { FacetKind, TemplatesView } from '@/ipc/bindings';
import { LinkGrid } from './LinkGrid';
import { LinkMatrix, type CellContent } from './LinkMatrix';
import type { Marks } from './linkMarks';
import type { LinkRow } from './links';
import styles from '../common/templates.module.css';

type Props = {
  view: TemplatesView;
  /** The links of the selected facet, or all links. */
  rows: LinkRow[];
  facet: FacetKind | null;
  loading: boolean;
  marks: Marks;
  tickAll: (ticked: boolean) => void;
};

const SHAPES = ['list', 'matrix'] as const;
const CELL_CONTENTS: readonly CellContent[] = ['marks', 'labor', 'machine'];

/** The links as a list, or as a matrix of templates and processes. */
export function LinkViews({ view, rows, facet, loading, marks, tickAll }: Props) {
  const { t } = useTranslation();
  const [shape, setShape] = useState<(typeof SHAPES)[number]>('list');
  const [cellContent, setCellContent] = useState<CellContent>('marks');
  const names = facet ? (view.facets.find(({ kind }) => kind === facet)?.names ?? []) : [];
  const ticked = rows.filter(({ key }) => marks.ticked.has(key)).length;
  return (
    <>
      <div className={styles.viewBar}>
        <SegmentedControl
          size="xs"
          value={shape}
          onChange={(value) => setShape(value === 'matrix' ? 'matrix' : 'list')}
          data={SHAPES.map((value) => ({ value, label: t(`templates.${value}`) }))}
          aria-label={t('templates.shape')}
          data-testid="templates-shape"
        />
        {shape === 'matrix' && (
          <SegmentedControl
            size="xs"
            value={cellContent}
            onChange={(value) => setCellContent(CELL_CONTENTS.find((one) => one === value) ?? 'marks')}
            data={CELL_CONTENTS.map((value) => ({ value, label: t(`templates.cells.${value}`) }))}
            aria-label={t('templates.cells.label')}
            data-testid="matrix-cells"
          />
        )}
        <Checkbox
          size="xs"
          label={t('templates.tickAll', { count: rows.length })}
          checked={rows.length > 0 && ticked === rows.length}
          indeterminate={ticked > 0 && ticked < rows.length}
          disabled={rows.length === 0}
          onChange={(event) => tickAll(event.currentTarget.checked)}
          data-testid="tick-all"
        />
      </div>
      {rows.length === 0 && names.length > 0 ? (
        <ul className={styles.names} data-testid="facet-names" tabIndex={0} aria-label={t(`templateFacets.${facet ?? 'empty'}`)}>
          {names.map((name) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
      ) : shape === 'matrix' ? (
        <LinkMatrix view={view} rows={rows} shown={cellContent} marks={marks} />
      ) : (
        <LinkGrid rows={rows} loading={loading && rows.length === 0} marks={marks} />
      )}
    </>
  );
}
