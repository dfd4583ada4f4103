import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useImport } from '@/features/import-session';
import type { RowChange } from '@/ipc/bindings';
import { formatWallTime } from './itemText';
import type { Moves, PlacedMoves } from './useMoves';
import styles from './pictures.module.css';

const MAX_NAMED = 5;

type Can = NonNullable<Moves['can']>;
/** `lanes` are the service's names. */
type Props = { moves: Moves; placed: PlacedMoves; can: Can; set: number; lanes: readonly string[] };

/** The moved bars and the actions for them. Nothing is sent from here. */
export function MoveBar({ moves, placed, can, set, lanes }: Props) {
  const { t } = useTranslation();
  const { fromRows, busy } = useImport();
  const preview = () => void fromRows({ set, positions: [...placed.all.keys()], operation: can.operation, changes: changesOf(placed, can, lanes) });
  return (
    <section className={styles.moves} aria-label={t('picture.legend.moved')} data-testid="picture-moves">
      <span role="status">
        {[
          placed.all.size > 0 && t('picture.moved', { count: placed.all.size }),
          placed.absent > 0 && t('picture.movedElsewhere', { count: placed.absent }),
          placed.changed.length > 0 && t('picture.movedChanged', { count: placed.changed.length, orders: shortList(placed.changed) }),
        ]
          .filter(Boolean)
          .join(' ')}
      </span>
      <Button size="compact-sm" disabled={busy || placed.all.size === 0} onClick={preview} data-testid="picture-preview">
        {t('picture.preview')}
      </Button>
      <Button size="compact-sm" variant="subtle" onClick={moves.undo} data-testid="picture-undo">
        {t('picture.undo')}
      </Button>
      <Button size="compact-sm" variant="subtle" onClick={moves.clear} data-testid="picture-discard">
        {t('picture.discard')}
      </Button>
    </section>
  );
}

function shortList(labels: readonly string[]): string {
  return labels.length > MAX_NAMED ? `${labels.slice(0, MAX_NAMED).join(', ')}, …` : labels.join(', ');
}

/** Returns the moved orders' new values, by fields of the operation that accepts them. */
export function changesOf({ all, elsewhere }: PlacedMoves, can: Can, lanes: readonly string[]): RowChange[] {
  return [...all].flatMap(([position, { begin, end, lane }]) => {
    const times = [
      { position, field: can.begin, value: formatWallTime(begin) },
      { position, field: can.end, value: formatWallTime(end) },
    ];
    const station = lanes[lane];
    if (can.lane && station && elsewhere.has(position)) times.push({ position, field: can.lane, value: station });
    return times;
  });
}
