import { expect } from '@jest/globals';
import type { Seat } from '../support/browser.js';

/** Uses a page by keyboard only. */
export class Typist {
  constructor(private readonly seat: Seat) {}

  private get page() {
    return this.seat.page;
  }

  /** Presses keys. */
  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
  }

  /** Presses keys that lead to another page, and waits for it. */
  async go(...keys: string[]): Promise<void> {
    const there = this.page.waitForEvent('load');
    await this.press(...keys);
    await there;
  }

  /** Presses Tab until this has the focus, and expects a visible focus. */
  async tabTo(name: string | RegExp): Promise<void> {
    const seen: string[] = [];
    for (let n = 0; n < 80; n += 1) {
      await this.press('Tab');
      const focused = await this.focused();
      seen.push(focused.name);
      if (typeof name === 'string' ? focused.name === name : name.test(focused.name)) {
        expect([focused.name, focused.shown]).toEqual([focused.name, true]);
        return;
      }
    }
    throw new Error(`Tab never came to ${String(name)}, only to: ${seen.join(' | ')}`);
  }

  /** The accessible name of the focused element, and whether its focus is visible. */
  focused(): Promise<{ name: string; shown: boolean }> {
    return this.page.evaluate(() => {
      const element = document.activeElement as HTMLElement;
      const labels = (element as HTMLInputElement).labels ?? [];
      const label = [...labels].map((one) => one.textContent).join(' ');
      const words = element.getAttribute('aria-label') ?? (label || element.innerText || '');
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return {
        name: words.replaceAll(/\s+/g, ' ').trim(),
        shown: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
      };
    });
  }

  /** Chooses in the focused list by typing the start of the choice. */
  async choose(start: string): Promise<void> {
    await this.type(start);
    const chosen = await this.page.evaluate(() => {
      const list = document.activeElement as HTMLSelectElement;
      return list.selectedOptions[0]?.text ?? '';
    });
    expect(chosen.startsWith(start)).toBe(true);
  }
}
