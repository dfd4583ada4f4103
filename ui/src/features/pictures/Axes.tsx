import { useTranslation } from 'react-i18next';

import type { Operation, Picture, PictureView } from '@/ipc/bindings';
import { type TextFormats, fieldName } from './itemText';
import styles from './pictures.module.css';

type Props = { operation: Operation; picture: Picture; by: number; view: PictureView; say: TextFormats };

/** The labels of a chart's axes. */
export function Axes({ operation, picture, by, view, say }: Props) {
  const { t } = useTranslation();
  const { draw } = picture;
  const fields = 'by' in draw ? (draw.by[by]?.fields ?? []) : [draw.lane];
  const rows = fields.map((path) => fieldName(operation, path, say)).join(' · ');
  const axis = view.drawn.shape === 'bars' ? t(`picture.axis.${view.drawn.measure}`) : t('picture.axis.time');
  return (
    <p className={styles.axes} data-testid="picture-axes">
      {t('picture.axes', { rows, axis })}
    </p>
  );
}
