import { type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemNote } from '@/components/notices/ProblemNote';
import { PageFrame } from '@/components/page/PageFrame';
import { SignInPanel } from '@/features/sign-in';
import type { CleanupLink, FacetKind, PlanView, Problem, SiteView, TemplatesView } from '@/ipc/bindings';
import { IdLine } from './ids/IdLine';
import { ReadingStatus } from './ids/ReadingStatus';
import { useTemplateReading } from './ids/TemplateReadingProvider';
import { useTemplateUse } from './ids/useTemplateUse';
import { LinkPanel } from './links/LinkPanel';
import { LinkViews } from './links/LinkViews';
import { TemplateFacets } from './links/TemplateFacets';
import type { Marks } from './links/linkMarks';
import { type LinkRow, facetBit, linkRows, ofFacet, tickKey, withLinks, withTicks } from './links/links';
import styles from './common/templates.module.css';

/** Lists missing IDs, and templates that couldn't be read, grouped by problem. */
function ReadingProblems({ view, problem }: { view: TemplatesView | null; problem: Problem | null }) {
  const { t } = useTranslation();
  const absent = view?.absent ?? null;
  const unread = view?.unread ?? [];
  return (
    <>
      {absent !== null && absent.count > 0 && (
        <p className={styles.absent} title={absent.text} data-testid="templates-absent">
          {t('templates.absent', { count: absent.count, ids: absent.text })}
        </p>
      )}
      {(problem !== null || unread.length > 0) && (
        <div className={styles.troubles} role="region" aria-label={t('templates.troubles')} tabIndex={0}>
          {problem && <ProblemNote problem={problem} />}
          {unread.map((one) => (
            <section key={one.ids.text} className={styles.trouble}>
              <h2>{t('templates.notRead', { count: one.ids.count, ids: one.ids.text })}</h2>
              <ProblemNote problem={one.problem} />
            </section>
          ))}
        </div>
      )}
    </>
  );
}

type Props = {
  site: SiteView;
  links: CleanupLink[];
  put: (links: CleanupLink[]) => void;
  action: ReactNode;
  onDeleted: (made: PlanView) => void;
};

/** Reads templates by ID, shows their issues, and collects links to delete. */
export function Cleanup({ site, links, put, action, onDeleted }: Props) {
  const { t } = useTranslation();
  const reading = useTemplateReading(site.site.name);
  const use = useTemplateUse(site.site.name);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(NO_TICKS);
  const [facet, setFacet] = useState<FacetKind | null>(null);
  const { view } = reading;
  const rows = useMemo(() => (view ? linkRows(view) : NO_ROWS), [view]);
  const shown = useMemo(() => (view && facet ? ofFacet(rows, facetBit(view, facet)) : rows), [view, rows, facet]);
  const chosen = useMemo(() => rows.filter(({ key }) => ticked.has(key)), [rows, ticked]);
  const marks = useMemo<Marks>(
    () => ({
      ticked,
      collected: new Set(links.map((link) => tickKey(link.templateId, link.processCode))),
      toggle: (row) => setTicked((now) => withTicks(now, [row], !now.has(row.key))),
    }),
    [ticked, links],
  );
  const adding = chosen.length > 0 ? chosen : facet ? shown : NO_ROWS;
  const signedOut = !site.signedIn;
  return (
    <PageFrame
      title={t('templates.title')}
      action={action}
      filter={
        <IdLine
          site={site.site.name}
          read={(ids) => {
            setTicked(NO_TICKS);
            setFacet(null);
            reading.read(ids);
          }}
          busy={reading.running}
          disabled={signedOut}
        />
      }
      status={<ReadingStatus reading={reading} use={use} ticked={chosen.length} />}
      edge
    >
      {view && !signedOut && <TemplateFacets view={view} chosen={facet} choose={setFacet} use={use} />}
      <div className={styles.main}>
        <ReadingProblems view={view} problem={reading.problem} />
        {signedOut ? (
          <div className={styles.empty}>
            <SignInPanel why={t('templates.signInFirst')} />
          </div>
        ) : view ? (
          <LinkViews
            view={view}
            rows={shown}
            facet={facet}
            loading={reading.running}
            marks={marks}
            tickAll={(all) => setTicked((now) => withTicks(now, shown, all))}
          />
        ) : (
          !reading.problem && <p className={styles.empty}>{t('templates.empty')}</p>
        )}
      </div>
      <LinkPanel
        links={links}
        adding={{ count: adding.length, by: chosen.length > 0 ? 'ticks' : 'filter' }}
        add={(code) => {
          put(withLinks(links, adding, code));
          setTicked(NO_TICKS);
        }}
        put={put}
        onDeleted={onDeleted}
      />
    </PageFrame>
  );
}

const NO_TICKS: ReadonlySet<string> = new Set<string>();
const NO_ROWS: LinkRow[] = [];
