import { Button, FocusTrap } from '@mantine/core';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '@/base/navigation';
import { goToStop, STOPS, useTourStop } from './tourState';
import styles from './tour.module.css';

const CARD_WIDTH = 320;
const CARD_MARGIN = 12;

/** The guided tour. Clicks beside its card have no effect, and Escape ends it. */
export function Tour() {
  const at = useTourStop();
  return at === null ? null : <TourStop key={at} at={at} />;
}

function TourStop({ at }: { at: number }) {
  const { t } = useTranslation();
  const { place, go } = useNavigation();
  const card = useRef<HTMLDivElement>(null);
  const stop = STOPS[at];
  const target = useTarget(stop?.selector);
  const isHome = place.page === 'import';
  useEffect(() => {
    if (!isHome) go({ page: 'import' });
  }, [isHome, go]);
  useEffect(() => {
    const leave = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopImmediatePropagation();
      goToStop(null);
    };
    window.addEventListener('keydown', leave, { capture: true });
    return () => window.removeEventListener('keydown', leave, { capture: true });
  }, []);
  if (!stop) return null;
  const last = at === STOPS.length - 1;
  return (
    <>
      {/* A click beside the card doesn't take the focus from it, so that Enter still goes on. */}
      <div className={styles.backdrop} aria-hidden onPointerDown={(event) => event.preventDefault()} onMouseDown={(event) => event.preventDefault()} data-testid="tour-backdrop" />
      {target && <div className={styles.ring} style={expandRect(target)} aria-hidden />}
      <FocusTrap>
        <div
          ref={card}
          className={styles.card}
          style={cardPosition(target)}
          role="dialog"
          aria-modal
          aria-label={t('tour.title', { at: at + 1, of: STOPS.length })}
          aria-describedby="tour-text"
          tabIndex={-1}
          data-testid="tour"
        >
          <p className="muted small">{t('tour.title', { at: at + 1, of: STOPS.length })}</p>
          <p id="tour-text">{t(`tour.${stop.name}`)}</p>
          <div className={styles.actions}>
            <Button size="compact-sm" variant="subtle" onClick={() => goToStop(null)} data-testid="tour-skip">
              {t('tour.skip')}
            </Button>
            <Button size="compact-sm" variant="default" disabled={at === 0} onClick={() => goToStop(at - 1)}>
              {t('tour.back')}
            </Button>
            <Button size="compact-sm" onClick={() => goToStop(last ? null : at + 1)} data-autofocus data-testid="tour-next">
              {last ? t('tour.done') : t('tour.next')}
            </Button>
          </div>
        </div>
      </FocusTrap>
    </>
  );
}

/** Returns the position of the element with this selector. It is polled, because the page may load or move. */
function useTarget(selector: string | undefined): DOMRect | null {
  const [rect, setRect] = useState<DOMRect | null>(null);
  useLayoutEffect(() => {
    if (selector === undefined) return undefined;
    let isScrolledIntoView = false;
    const find = () => {
      const found = document.querySelector(selector);
      if (found && !isScrolledIntoView) found.scrollIntoView({ block: 'nearest' });
      isScrolledIntoView ||= found !== null;
      const next = found?.getBoundingClientRect() ?? null;
      setRect((now) => (isSame(now, next) ? now : next));
    };
    find();
    const timer = window.setInterval(find, POLL_INTERVAL);
    return () => window.clearInterval(timer);
  }, [selector]);
  return rect;
}

const POLL_INTERVAL = 150;

function isSame(one: DOMRect | null, other: DOMRect | null): boolean {
  return one?.left === other?.left && one?.top === other?.top && one?.width === other?.width && one?.height === other?.height;
}

function expandRect(target: DOMRect) {
  return { left: target.left - 4, top: target.top - 4, width: target.width + 8, height: target.height + 8 };
}

/** Positions the card below or above the target within the window, or in the middle without a target. */
function cardPosition(target: DOMRect | null) {
  const width = Math.min(CARD_WIDTH, window.innerWidth - 2 * CARD_MARGIN);
  if (!target) return { left: (window.innerWidth - width) / 2, top: window.innerHeight / 3, width };
  const left = Math.min(Math.max(CARD_MARGIN, target.left), window.innerWidth - width - CARD_MARGIN);
  if (target.bottom + CARD_HEIGHT < window.innerHeight) return { left, top: target.bottom + CARD_MARGIN, width };
  if (target.top > CARD_HEIGHT) return { left, bottom: window.innerHeight - target.top + CARD_MARGIN, width };
  return { left, bottom: CARD_MARGIN, width };
}

/** Maximum height of the card, in pixels. */
const CARD_HEIGHT = 190;
