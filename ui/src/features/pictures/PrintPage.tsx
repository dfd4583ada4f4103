import { createPortal } from 'react-dom';

import styles from './pictures.module.css';

/** What is printed in place of the window: the picture on one page. It stands beside the window, so that all of that can be left out. */
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
