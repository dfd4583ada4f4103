import type { ReactNode } from 'react';

import styles from './emptyPicture.module.css';

export type EmptyPictureName = 'day' | 'history' | 'events' | 'floor' | 'links' | 'list' | 'search' | 'order' | 'forwarding' | 'rules' | 'chart';

/**
 * The drawings by name, 120 × 80. All are drawn the same way: outlines, one tinted area, and one accent for what would be there.
 */
const DRAWINGS: Record<EmptyPictureName, ReactNode> = {
  day: (
    <>
      <rect className={styles.area} x="30" y="16" width="60" height="52" rx="5" />
      <path d="M30 30h60M45 10v12M75 10v12" />
      <path d="M42 42h10M42 54h10M62 54h10" />
      <path className={styles.accent} d="m62 42 4 4 9-10" />
    </>
  ),
  history: (
    <>
      <rect className={styles.area} x="18" y="14" width="56" height="52" rx="5" />
      <path d="M28 27h28M28 39h20M28 51h14" />
      <circle className={styles.ground} cx="80" cy="48" r="20" />
      <path className={styles.accent} d="M80 36v12l8 6" />
    </>
  ),
  events: (
    <>
      <path className={styles.area} d="M22 42h18l6 10h28l6-10h18v20a5 5 0 0 1-5 5H27a5 5 0 0 1-5-5z" />
      <path d="m22 42 10-16M98 42 88 26" />
      <path className={styles.accent} d="M60 12v26M50 29l10 10 10-10" />
    </>
  ),
  floor: (
    <>
      <path className={styles.area} d="M16 66V38l18-12v12l18-12v12l18-12v40z" />
      <path d="M78 66V14h14v52" />
      <path d="M10 66h100M26 52h8M44 52h8" />
      <circle className={styles.accent} cx="85" cy="28" r="2.5" />
      <path className={styles.accent} d="M85 42v12" />
    </>
  ),
  links: (
    <>
      <rect className={styles.area} x="14" y="24" width="34" height="32" rx="5" />
      <path d="M23 35h16M23 45h10" />
      <rect x="76" y="10" width="30" height="20" rx="5" />
      <rect x="76" y="50" width="30" height="20" rx="5" />
      <path className={styles.accent} d="M48 34c16 0 12-14 28-14M48 46c16 0 12 14 28 14" />
    </>
  ),
  list: (
    <>
      <rect className={styles.area} x="20" y="14" width="80" height="52" rx="5" />
      <path d="M20 28h80M48 14v52M20 41h80M20 54h80" />
      <path className={styles.accent} d="M57 35h20" />
    </>
  ),
  search: (
    <>
      <rect className={styles.area} x="16" y="14" width="66" height="52" rx="5" />
      <path d="M26 27h34M26 40h16M26 53h20" />
      <circle className={`${styles.ground} ${styles.accent}`} cx="76" cy="44" r="16" />
      <path className={styles.accent} d="m88 56 14 13" />
    </>
  ),
  order: (
    <>
      <path className={styles.area} d="M36 12h34l16 16v40H36z" />
      <path d="M70 12v16h16M46 40h18M46 50h12" />
      <path className={styles.accent} d="M70 46a6 6 0 1 1 8 6v4M78 63v.5" />
    </>
  ),
  forwarding: (
    <>
      <rect className={styles.area} x="12" y="24" width="32" height="32" rx="5" />
      <path d="M20 35h16M20 45h10" />
      <rect x="78" y="24" width="30" height="32" rx="5" />
      <path d="M86 64h14M93 56v8" />
      <path className={styles.accent} d="M50 40h20M63 32l8 8-8 8" />
    </>
  ),
  rules: (
    <>
      <rect className={styles.area} x="14" y="28" width="34" height="24" rx="5" />
      <path d="M23 40h16M48 40h12M60 40c8 0 4-18 14-18M60 40c8 0 4 18 14 18" />
      <path className={styles.accent} d="m82 22 6 6 12-13" />
      <path d="m84 52 12 12M96 52 84 64" />
    </>
  ),
  chart: (
    <>
      <path d="M22 12v54h78" />
      <rect className={styles.area} x="32" y="20" width="30" height="10" rx="3" />
      <rect x="46" y="36" width="32" height="10" rx="3" />
      <path className={styles.accent} d="M64 56h26" />
    </>
  ),
};

/** A line drawing for a page or list without content. The sentence next to it says what it shows. */
export function EmptyPicture({ name }: { name: EmptyPictureName }) {
  return (
    <svg className={styles.picture} viewBox="0 0 120 80" width="120" height="80" aria-hidden focusable="false" data-picture={name}>
      {DRAWINGS[name]}
    </svg>
  );
}
