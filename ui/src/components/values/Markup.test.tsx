import { fireEvent, render, screen } from '@testing-library/react';
import { MantineProvider } from '@mantine/core';
import { beforeAll, describe, expect, test } from 'vitest';

import { initTranslations } from '@/base/words';
import { Markup, hasMarkup, plainText, sanitizeMarkup } from './Markup';

beforeAll(initTranslations);

describe('markup', () => {
  test('is left out where there is one line', () => {
    expect(plainText('Spindle<br>hot, <em>tool worn</em> &amp; loud')).toBe('Spindle hot, tool worn & loud');
    expect(plainText('3 < 5')).toBe('3 < 5');
  });

  test('keeps words and lists, and nothing that acts', () => {
    const sanitized = sanitizeMarkup('<p style="color:red" onclick="x()">a<b>b</b><a href="javascript:x()">c</a><img src=x onerror=x()><script>d</script></p><ul><li>e</li></ul>');
    const place = document.createElement('div');
    place.append(sanitized);
    expect(place.innerHTML).toBe('<p>a<b>b</b><a>c</a></p><ul><li>e</li></ul>');
    expect([hasMarkup('a < b and c > d'), hasMarkup('R&D'), hasMarkup('a<br>b'), hasMarkup('5 &lt; 6')]).toEqual([false, false, true, true]);
  });

  test('is drawn, and shown as text by one click', () => {
    render(
      <MantineProvider>
        <Markup text="<b>now</b><script>1</script>" />
      </MantineProvider>,
    );
    expect(screen.getByTestId('markup').innerHTML).toBe('<b>now</b>');
    fireEvent.click(screen.getByTestId('markup-switch'));
    expect(screen.getByTestId('markup-raw').textContent).toBe('<b>now</b><script>1</script>');
  });
});
