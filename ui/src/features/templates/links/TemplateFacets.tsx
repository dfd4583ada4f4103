import { Button, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import type { FacetKind, TemplateFacet, TemplatesView } from '@/ipc/bindings';
import type { TemplateUse } from '../ids/useTemplateUse';
import styles from '../common/templates.module.css';

type Props = { view: TemplatesView; chosen: FacetKind | null; choose: (kind: FacetKind | null) => void; use: TemplateUse };

/** Issues of the templates with counts. Each filters the links. */
export function TemplateFacets({ view, chosen, choose, use }: Props) {
  const { t } = useTranslation();
  const { number, moment } = useFormats();
  const links = view.links.template.length;
  return (
    <nav className={styles.facets} aria-label={t('templates.facets')}>
      <UnstyledButton className={styles.facet} aria-pressed={chosen === null} onClick={() => choose(null)} data-testid="facet-all">
        <span className={styles.kind}>{t('templates.all')}</span>
        <span className="number">{number(links)}</span>
      </UnstyledButton>
      {view.facets.map((facet) => (
        <Entry key={facet.kind} facet={facet} known={view.templates.length > 0} chosen={chosen === facet.kind} choose={choose} />
      ))}
      {view.listProblem && (
        <div className={styles.facetNote}>
          <p className="small">{t('templates.listUnread')}</p>
          <ProblemNote problem={view.listProblem} quiet />
        </div>
      )}
      <div className={styles.facetNote}>
        <p className="muted small">
          {view.ordersAt ? t('templates.ordersAt', { at: moment(view.ordersAt) }) : t('templates.ordersUnread')}
        </p>
        <Button size="compact-xs" variant="default" onClick={use.read} disabled={use.running} data-testid="facets-use">
          {t(view.ordersAt ? 'templates.readUseAgain' : 'templates.readUse')}
        </Button>
      </div>
    </nav>
  );
}

/** A facet's button. Without loaded templates it has no count. */
function Entry({ facet, known, chosen, choose }: { facet: TemplateFacet; known: boolean; chosen: boolean; choose: Props['choose'] }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const hasMatches = known && facet.count > 0;
  return (
    <UnstyledButton
      className={styles.facet}
      aria-pressed={chosen}
      disabled={!hasMatches && !chosen}
      onClick={() => choose(chosen ? null : facet.kind)}
      data-testid={`facet-${facet.kind}`}
    >
      <span className={styles.kind}>
        {t(`templateFacets.${facet.kind}`)}
        {hasMatches && facet.about !== 'links' && facet.links > 0 && (
          <span className="muted small">{t('templates.facetLinks', { count: facet.links })}</span>
        )}
      </span>
      <span className="number" data-testid={`facet-count-${facet.kind}`}>
        {known ? number(facet.count) : '–'}
      </span>
    </UnstyledButton>
  );
}
