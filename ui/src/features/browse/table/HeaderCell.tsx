import { IconChevronDown, IconFilterFilled } from '@tabler/icons-react';
import type { IHeaderParams, IInnerHeaderComponent } from 'ag-grid-community';
import { createElement } from 'react';
import { type Root, createRoot } from 'react-dom/client';

import styles from './table.module.css';

type HeadParams = {
  open: (path: string, at: Element) => void;
  filtered: ReadonlySet<string>;
  menuOf: (column: string) => string;
};

type Params = IHeaderParams & HeadParams;

/** A column's name and its menu button. */
export class HeaderCell implements IInnerHeaderComponent {
  private readonly head = element('span', styles.head);
  private readonly text = element('span', styles.headText);
  private readonly button = element('button', styles.headButton);
  private readonly icon: Root = createRoot(this.button);
  private params: Params | null = null;

  init(params: Params): void {
    this.button.type = 'button';
    this.button.tabIndex = -1;
    // A click elsewhere on the header sorts.
    this.button.addEventListener('pointerdown', (event) => event.stopPropagation());
    this.button.addEventListener('click', (event) => {
      event.stopPropagation();
      this.params?.open(this.params.column.getColId(), this.button);
    });
    this.head.append(this.text, this.button);
    this.refresh(params);
  }

  getGui(): HTMLElement {
    return this.head;
  }

  refresh(params: Params): boolean {
    this.params = params;
    const path = params.column.getColId();
    const filtered = params.filtered.has(path);
    this.text.textContent = params.displayName;
    this.button.dataset.filtered = String(filtered);
    this.button.dataset.testid = `column-${path}`;
    this.button.setAttribute('aria-label', params.menuOf(params.displayName));
    this.icon.render(createElement(filtered ? IconFilterFilled : IconChevronDown, { size: 12, 'aria-hidden': true }));
    return true;
  }

  destroy(): void {
    this.icon.unmount();
  }
}

function element<K extends keyof HTMLElementTagNameMap>(name: K, className: string | undefined): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.className = className ?? '';
  return made;
}
