import { createPortal } from 'react-dom';

import styles from './pictures.module.css';

/** The picture on the printed page, rendered outside the window, which print styles hide. */
export function PrintPage({ title, image }: { title: string; image: string }) {
  if (!image) return null;
  return createPortal(
    <div className={styles.paper} data-testid="picture-paper">
      <h1>{title}</h1>
      <img src={image} alt={title} />
    </div>,
    document.body,
  );
}
