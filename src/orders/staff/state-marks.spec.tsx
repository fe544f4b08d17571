import { describe, expect, it } from '@jest/globals';
import { renderToString } from 'preact-render-to-string';
import { orderStates, stateInfo } from '../record/order-states.js';
import { StateMark } from './state-marks.js';

describe('the mark of a state', () => {
  it.each(orderStates)('says the word of %s, and hides its shape from screen readers', (state) => {
    const html = renderToString(<StateMark state={state} />);
    expect(html.replaceAll(/<svg[^>]*aria-hidden="true".*?<\/svg>|<[^>]+>/g, '')).toBe(
      stateInfo[state].name,
    );
  });

  it('has another shape for each state', () => {
    const shapes = orderStates.map((state) =>
      /<path d="([^"]+)"/.exec(renderToString(<StateMark state={state} />)),
    );
    expect(new Set(shapes.map((found) => found?.[1])).size).toBe(orderStates.length);
  });
});
