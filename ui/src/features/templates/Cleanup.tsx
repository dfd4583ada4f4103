import { Button, Progress, UnstyledButton } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { PageFrame } from '@/components/page/PageFrame';
import { SignInPanel } from '@/features/sign-in';
import type { CleanupLink, FacetKind, PlanView, Problem, SiteView, TemplateFacet, TemplatesView } from '@/ipc/bindings';
import { IdLine } from './ids/IdLine';
import { KnownIds } from './ids/KnownIds';
import { type TemplateReading, useTemplateReading } from './ids/TemplateReadingProvider';
import { type TemplateUse, useTemplateUse } from './ids/useTemplateUse';
import { LinkPanel } from './links/LinkPanel';
import { LinkViews } from './links/LinkViews';
import type { Marks } from './links/linkMarks';
import { type LinkRow, facetBit, linkRows, filterByFacet, filterByText, tickKey, withLinks, changeTicks } from './links/links';
import styles from './common/templates.module.css';

/** Lists IDs without a template, and templates that couldn't be read, grouped by problem. */
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

type ReadingStatusProps = { reading: TemplateReading; use: TemplateUse; ticked: number };

/** The progress of reading, or a summary of the result. */
function ReadingStatus({ reading, use, ticked }: ReadingStatusProps) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { view } = reading;
  if (reading.running) {
    return (
      <ReadingProgress
        done={reading.settled}
        total={reading.requested}
        rate={reading.rate}
        text={t('templates.readOf', { count: reading.requested, done: number(reading.settled), total: number(reading.requested) })}
        stop={reading.stop}
        testId="templates-stop"
      />
    );
  }
  if (use.running) {
    const { progress } = use;
    const places = { count: progress?.total ?? progress?.rows ?? 0, done: number(progress?.rows ?? 0), total: number(progress?.total ?? 0) };
    return (
      <ReadingProgress
        done={progress?.rows ?? 0}
        total={progress?.total ?? 0}
        rate={use.rate}
        text={t(progress?.total ? 'templates.ordersOf' : 'templates.ordersSoFar', places)}
        stop={use.stop}
        testId="use-stop"
      />
    );
  }
  if (!view) return null;
  return (
    <>
      <span className="number" role="status" data-testid="templates-status">
        {t('templates.status', {
          templates: number(view.templates.length),
          links: number(view.links.template.length),
          processes: number(view.processes.length),
          ticked: number(ticked),
        })}
      </span>
      {view.left.count > 0 && (
        <>
          <span className="number" data-testid="templates-left">
            {t('templates.left', { count: view.left.count })}
          </span>
          <Button size="compact-xs" variant="default" onClick={reading.resume} data-testid="templates-go-on">
            {t('templates.goOn')}
          </Button>
        </>
      )}
    </>
  );
}

type ReadingProgressProps = { done: number; total: number; rate: number; text: string; stop: () => void; testId: string };

function ReadingProgress({ done, total, rate, text: said, stop, testId }: ReadingProgressProps) {
  const { t } = useTranslation();
  const { number, duration } = useFormats();
  return (
    <>
      <Progress className={styles.progress} value={total ? (done / total) * 100 : 0} size="sm" aria-label={said} />
      <span className="number" role="status">
        {said}
      </span>
      {rate > 0 && <span className="muted number">{t('templates.rate', { rate: number(Math.round(rate)) })}</span>}
      {rate > 0 && total > done && (
        <span className="muted number">{t('submission.remaining', { time: duration((total - done) / rate) })}</span>
      )}
      <Button size="compact-xs" variant="default" onClick={stop} data-testid={testId}>
        {t('browse.stop')}
      </Button>
    </>
  );
}

type TemplateFacetsProps = { view: TemplatesView; chosen: FacetKind | null; choose: (kind: FacetKind | null) => void; use: TemplateUse };

/** Issues of the templates with their number of links. Each issue filters the links. */
function TemplateFacets({ view, chosen, choose, use }: TemplateFacetsProps) {
  const { t } = useTranslation();
  const { number, dateTime } = useFormats();
  const links = view.links.template.length;
  return (
    <nav className={styles.facets} aria-label={t('templates.facets')}>
      <UnstyledButton className={styles.facet} aria-pressed={chosen === null} onClick={() => choose(null)} data-testid="facet-all">
        <span className={styles.kind}>{t('templates.all')}</span>
        <span className="number">{number(links)}</span>
      </UnstyledButton>
      {view.facets.map((facet) => (
        <FacetButton key={facet.kind} facet={facet} known={view.templates.length > 0} chosen={chosen === facet.kind} choose={choose} />
      ))}
      {view.listProblem && (
        <div className={styles.facetNote}>
          <p className="small">{t('templates.listUnread')}</p>
          <ProblemNote problem={view.listProblem} isSubtle />
        </div>
      )}
      <div className={styles.facetNote}>
        <p className="muted small">
          {view.ordersAt ? t('templates.ordersAt', { at: dateTime(view.ordersAt) }) : t('templates.ordersUnread')}
        </p>
        <Button size="compact-xs" variant="default" onClick={use.read} disabled={use.running} data-testid="facets-use">
          {t(view.ordersAt ? 'templates.readUseAgain' : 'templates.readUse')}
        </Button>
      </div>
    </nav>
  );
}

/** A button for an issue. Until templates are loaded, it shows no number. */
function FacetButton({ facet, known, chosen, choose }: { facet: TemplateFacet; known: boolean; chosen: boolean; choose: TemplateFacetsProps['choose'] }) {
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

type Props = {
  site: SiteView;
  links: CleanupLink[];
  setLinks: (links: CleanupLink[]) => void;
  action: ReactNode;
  onDeleted: (made: PlanView) => void;
};

/** Reads templates by ID, shows their issues, and collects links to delete. */
export function Cleanup({ site, links, setLinks, action, onDeleted }: Props) {
  const { t } = useTranslation();
  const reading = useTemplateReading(site.site.name);
  const use = useTemplateUse(site.site.name);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(NO_TICKS);
  const [facet, setFacet] = useState<FacetKind | null>(null);
  const [text, setText] = useState('');
  const { view } = reading;
  const rows = useMemo(() => (view ? linkRows(view) : NO_ROWS), [view]);
  const visibleRows = useMemo(() => {
    const ofFacet = view && facet ? filterByFacet(rows, facetBit(view, facet)) : rows;
    return filterByText(ofFacet, text);
  }, [view, rows, facet, text]);
  const chosen = useMemo(() => rows.filter(({ key }) => ticked.has(key)), [rows, ticked]);
  const marks = useMemo<Marks>(
    () => ({
      ticked,
      collected: new Set(links.map((link) => tickKey(link.templateId, link.processCode))),
      toggle: (row) => setTicked((now) => changeTicks(now, [row], !now.has(row.key))),
    }),
    [ticked, links],
  );
  const rowsToAdd = chosen.length > 0 ? chosen : facet || text.trim() ? visibleRows : NO_ROWS;
  const signedOut = !site.signedIn;
  const read = (ids: string) => {
    setTicked(NO_TICKS);
    setFacet(null);
    setText('');
    reading.read(ids);
  };
  return (
    <PageFrame
      title={t('templates.title')}
      action={action}
      filter={
        <IdLine
          site={site.site.name}
          read={read}
          busy={reading.running}
          disabled={signedOut}
        />
      }
      status={<ReadingStatus reading={reading} use={use} ticked={chosen.length} />}
      isFullWidth
      stacks
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
            rows={visibleRows}
            facet={facet}
            text={text}
            search={setText}
            reading={reading}
            marks={marks}
            tickAll={(all) => setTicked((now) => changeTicks(now, visibleRows, all))}
          />
        ) : (
          !reading.problem && <KnownIds site={site.site.name} read={read} />
        )}
      </div>
      <LinkPanel
        links={links}
        linksToAdd={{ count: rowsToAdd.length, by: chosen.length > 0 ? 'ticks' : 'filter' }}
        add={(code) => {
          setLinks(withLinks(links, rowsToAdd, code));
          setTicked(NO_TICKS);
        }}
        setLinks={setLinks}
        onDeleted={onDeleted}
      />
    </PageFrame>
  );
}

const NO_TICKS: ReadonlySet<string> = new Set<string>();
const NO_ROWS: LinkRow[] = [];
