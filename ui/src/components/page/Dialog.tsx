import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';

import styles from './dialog.module.css';

type Props = {
  title: string;
  close: () => void;
  children: ReactNode;
  /** Whether the dialog is wider, for long button labels. */
  wide?: boolean;
};

/** A modal dialog. Escape or a click outside closes it. */
export function Dialog({ title, close, children, wide = false }: Props) {
  return (
    <Modal.Root opened onClose={close} closeOnClickOutside={false} centered size={wide ? 'lg' : 'md'}>
      {/* The second click of a double click on the button that opens the dialog mustn't close it. */}
      <Modal.Overlay onClick={({ detail }) => detail < 2 && close()} />
      <Modal.Content>
        <Modal.Body className={styles.body}>
          <Modal.Title className={styles.title}>{title}</Modal.Title>
          {children}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
