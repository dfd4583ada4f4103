import { ActionIcon, Tooltip, UnstyledButton } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { SeveritySign } from '@/components/marks/StatusMarks';
import type { Facet, FindingKind, ImportView, RowFilter, Severity } from '@/ipc/bindings';
import { fieldName } from '../common/fieldNames';
import { initialRowFilter } from './rowFilter';
import styles from './check.module.css';

type Props = {
  view: ImportView;
  chosen: RowFilter;
  choose: (filter: RowFilter) => void;
  fixAll: (kind: FindingKind) => void;
};

/** The kinds of findings with their counts. Each filters the grid. */
export function FindingFacets({ view, chosen, choose, fixAll }: Props) {
  const { t } = useTranslation();
  return (
    <nav className={styles.facets} aria-label={t('check.facets')}>
      {view.facets.length === 0 && <p className="muted">{t(view.rejectedRows > 0 ? 'check.cleanRejected' : 'check.clean')}</p>}
      {sortFacets(view.facets).map((facet) => (
        <div
          key={`${facet.code}·${facet.field ?? ''}·${facet.severity}`}
          className={styles.facetLine}
          data-fixable={isFixable(facet)}
        >
          <FacetEntry view={view} facet={facet} chosen={chosen} choose={choose} />
          {isFixable(facet) && <FixAll view={view} facet={facet} fixAll={fixAll} />}
        </div>
      ))}
    </nav>
  );
}

/** Findings that are resolved in another step, by matching columns or choosing the encoding. */
const OTHER_STEP_FINDINGS: ReadonlySet<Facet['code']> = new Set<Facet['code']>([
  'missing-column',
  'several-columns',
  'other-encoding',
]);

function isFixable({ severity, code }: Facet): boolean {
  return severity !== 'note' && !OTHER_STEP_FINDINGS.has(code);
}

const SEVERITY_ORDER: readonly Severity[] = ['error', 'warning', 'note'];

function sortFacets(facets: readonly Facet[]): Facet[] {
  return facets.toSorted((a, b) => SEVERITY_ORDER.indexOf(a.severity) - SEVERITY_ORDER.indexOf(b.severity) || b.count - a.count);
}

function FixAll({ view, facet, fixAll }: Pick<Props, 'view' | 'fixAll'> & { facet: Facet }) {
  const { t, i18n } = useTranslation();
  const { code, field, severity } = facet;
  const what = [t(`kinds.${code}`), field && fieldName(view.fields, field, i18n.language)].filter(Boolean).join(', ');
  return (
    <Tooltip label={t('fix.all.open')} position="right">
      <ActionIcon
        className={styles.fixAll}
        variant="subtle"
        color="petrol"
        size="sm"
        aria-label={t('fix.all.of', { what })}
        onClick={() => fixAll({ severity, code, field })}
        data-testid={`fix-all-${code}`}
        data-field={field ?? ''}
      >
        <IconTool size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

function FacetEntry({ view, facet, chosen, choose }: Omit<Props, 'fixAll'> & { facet: Facet }) {
  const { t, i18n } = useTranslation();
  const { number } = useFormats();
  const pressed = chosen.code === facet.code && chosen.field === facet.field && chosen.severity === facet.severity;
  return (
    <UnstyledButton
      className={styles.facet}
      aria-pressed={pressed}
      onClick={() =>
        choose(pressed ? initialRowFilter(view) : { ...initialRowFilter(view), severity: facet.severity, code: facet.code, field: facet.field })
      }
      data-testid={`facet-${facet.code}`}
      data-field={facet.field ?? ''}
    >
      <SeveritySign severity={facet.severity} named />
      <span className={styles.kind}>
        {t(`kinds.${facet.code}`)}
        {facet.field && <span className="muted small">{fieldName(view.fields, facet.field, i18n.language)}</span>}
      </span>
      <span className="number">{number(facet.count)}</span>
    </UnstyledButton>
  );
}
