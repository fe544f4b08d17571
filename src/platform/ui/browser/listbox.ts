/** A text field with a list of options below it, as the ARIA pattern "combobox" describes. */
export interface Listbox {
  /** Shows these options and marks one, or none. */
  show(options: readonly HTMLElement[], active?: number): void;
  hide(): void;
}

/** @param choose is called with the option that Enter or a click chooses */
export function listbox(
  input: HTMLInputElement,
  list: HTMLElement,
  choose: (option: HTMLElement) => void,
): Listbox {
  let options: readonly HTMLElement[] = [];
  let active = -1;
  input.setAttribute('role', 'combobox');
  input.setAttribute('aria-autocomplete', 'list');
  input.setAttribute('aria-controls', list.id);
  input.setAttribute('aria-expanded', 'false');

  function mark(at: number): void {
    active = at;
    options.forEach((option, i) => option.setAttribute('aria-selected', String(i === at)));
    const option = options[at];
    if (option) {
      input.setAttribute('aria-activedescendant', option.id);
      option.scrollIntoView({ block: 'nearest' });
    } else input.removeAttribute('aria-activedescendant');
  }

  input.addEventListener('keydown', (event) => {
    if (list.hidden || event.isComposing) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      if (options.length > 0) mark((active + step + options.length) % options.length);
    } else if (event.key === 'Enter') {
      const option = options[active];
      if (!option) return;
      event.preventDefault();
      choose(option);
    }
  });
  // Keeps the focus in the field.
  list.addEventListener('mousedown', (event) => event.preventDefault());
  list.addEventListener('click', (event) => {
    const option = (event.target as Element).closest<HTMLElement>('[role=option]');
    if (option) choose(option);
  });

  return {
    show(next, at = -1) {
      options = next;
      next.forEach((option, i) => (option.id = `${list.id}-${i}`));
      list.replaceChildren(...next);
      list.hidden = next.length === 0;
      input.setAttribute('aria-expanded', String(!list.hidden));
      mark(Math.min(at, next.length - 1));
    },
    hide() {
      this.show([]);
    },
  };
}
