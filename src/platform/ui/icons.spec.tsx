import { describe, expect, it } from '@jest/globals';
import { renderToString } from 'preact-render-to-string';
import { Icon } from './icons.js';

describe('an icon', () => {
  it('is hidden from screen readers and is no stop of the Tab key', () => {
    expect(renderToString(<Icon name="phone" />)).toMatch(
      /^<svg class="icon" [^>]*aria-hidden="true" focusable="false">/,
    );
  });
});
