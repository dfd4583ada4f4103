import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { cellText } from '@/base/values/cells';
import { useCellWords } from '@/base/values/useCellWords';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { CodeLink } from '@/components/values/CodeLink';
import { Markup } from '@/components/values/Markup';
import { type Field, type Value as JsonValue, commands } from '@/ipc/bindings';
import { type Cuts, type Meaning, fieldPath } from './rowDetail';
import styles from './rowDetail.module.css';

type Props = { field: Field; value: JsonValue | undefined; path: string; cuts: Cuts; meaning: Meaning };

/** One value. Markup is rendered, and a code that names an item is a link. */
export function DetailValue({ field, value, path, cuts, meaning }: Props) {
  const words = useCellWords();
  const text = cellText(value, field, words);
  if (text === '') return '–';
  // By path, because a part's field can have the same name as a field of the row.
  const place = meaning.places.get(fieldPath(path))?.(text);
  if (place) return <CodeLink text={text} place={place} />;
  if (typeof value !== 'string' || field.kind !== 'text') return text;
  if (cuts.of.has(path)) return <LongText front={value} path={path} cuts={cuts} />;
  return <Markup text={value} />;
}

/** `from` is the offset in bytes. */
type Piece = { from: number; text: string };

/** A text of which only the beginning was loaded. */
function LongText({ front, path, cuts }: { front: string; path: string; cuts: Cuts }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const [pieces, setPieces] = useState<{ all: Piece[]; next: number | null }>({ all: [{ from: 0, text: front }], next: new Blob([front]).size });
  const more = useMutation({
    mutationFn: (from: number) => commands.browseText(cuts.set, cuts.position, path, from),
    onSuccess: ({ text, next: after }, from) => setPieces((now) => ({ all: [...now.all, { from, text }], next: after })),
    onError: showProblemNotice,
  });
  const { next } = pieces;
  return (
    <>
      <span className={styles.long} role="region" tabIndex={0}>
        {pieces.all.map(({ from, text }) => (
          // Separate blocks keep the finished layout when more text is loaded.
          <span key={from} className={styles.piece}>
            {text}
          </span>
        ))}
      </span>
      {next !== null && (
        <Button size="compact-xs" variant="subtle" disabled={more.isPending} onClick={() => more.mutate(next)} data-testid="text-more">
          {t('detail.moreText', { shown: number(pieces.all.reduce((sum, { text }) => sum + text.length, 0)), of: number(cuts.of.get(path) ?? 0) })}
        </Button>
      )}
    </>
  );
}
