import { Button, Checkbox, SegmentedControl } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { SearchInput } from '@/components/controls/SearchInput';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { type FacetKind, type TemplatesView, commands } from '@/ipc/bindings';
import type { TemplateReading } from '../ids/TemplateReadingProvider';
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
  text: string;
  search: (text: string) => void;
  reading: TemplateReading;
  marks: Marks;
  tickAll: (ticked: boolean) => void;
};

const SHAPES = ['list', 'matrix'] as const;
const CELL_CONTENTS: readonly CellContent[] = ['marks', 'labor', 'machine'];

/** The links as a list, or as a matrix of templates and processes. */
export function LinkViews({ view, rows, facet, text, search, reading, marks, tickAll }: Props) {
  const { t } = useTranslation();
  const [shape, setShape] = useState<(typeof SHAPES)[number]>('list');
  const [cellContent, setCellContent] = useState<CellContent>('marks');
  const names = facet ? (view.facets.find(({ kind }) => kind === facet)?.names ?? []) : [];
  const save = useMutation({
    mutationFn: () => commands.templateSave(reading.id ?? 0, t('templates.saveTitle'), t('templates.title')),
    onSuccess: (path) => showSavedNotice(path),
    onError: showProblemNotice,
  });
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
        <SearchInput key={reading.id} label={t('templates.find')} text={text} onSearch={search} testId="links-find" />
        <Button className={styles.save} size="xs" variant="default" onClick={() => save.mutate()} disabled={save.isPending || reading.running} data-testid="templates-save">
          {t('templates.save')}
        </Button>
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
        <LinkGrid rows={rows} loading={reading.running && rows.length === 0} marks={marks} />
      )}
    </>
  );
}
