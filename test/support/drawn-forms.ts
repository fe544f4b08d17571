/** A form as a page draws it, reduced to what a person reads and can send. */
export interface DrawnForm {
  readonly action: string;
  /** The hidden fields. */
  readonly hidden: Readonly<Record<string, string>>;
  readonly controls: readonly DrawnControl[];
}

export interface DrawnControl {
  readonly name: string;
  /** The type of an input, or `select` or `textarea`. */
  readonly type: string;
  /** The value that would be sent; of boxes and radio buttons, those that are ticked. */
  readonly value: string;
  readonly choices: readonly string[];
  readonly maxlength?: string;
  readonly required: boolean;
}

/** Of the main part of a page. */
export function formsIn(html: string): DrawnForm[] {
  return [...mainOf(html).matchAll(/<form([^>]*)>(.*?)<\/form>/gs)].map(
    ([, head = '', inner = '']) => {
      const inputs = [...inner.matchAll(/<input((?:[^>"]|"[^"]*")*)>/g)].map(([, of = '']) => of);
      const hidden = inputs.filter((one) => attribute(one, 'type') === 'hidden');
      return {
        action: attribute(head, 'action') ?? '',
        hidden: Object.fromEntries(
          hidden.map((one) => [attribute(one, 'name') ?? '', attribute(one, 'value') ?? '']),
        ),
        controls: controlsIn(inner),
      };
    },
  );
}

function controlsIn(html: string): DrawnControl[] {
  const found = html.matchAll(
    /<(input|select|textarea)((?:[^>"]|"[^"]*")*)>(?:(?<=<(?:select|textarea)(?:[^>"]|"[^"]*")*>)(.*?)<\/(?:select|textarea)>)?/gs,
  );
  const controls = new Map<string, DrawnControl>();
  for (const [, tag = '', head = '', inner = ''] of found) {
    const type = tag === 'input' ? (attribute(head, 'type') ?? 'text') : tag;
    const name = attribute(head, 'name') ?? '';
    if (type === 'hidden') continue;
    const options = [...inner.matchAll(/<option([^>]*)>/g)].map(([, option = '']) => option);
    const chosen = options.find((option) => / selected/.test(option)) ?? options[0] ?? '';
    const isBox = type === 'checkbox' || type === 'radio';
    const own = attribute(head, 'value') ?? '';
    const value = isBox
      ? / checked/.test(head)
        ? own
        : ''
      : tag === 'select'
        ? (attribute(chosen, 'value') ?? '')
        : tag === 'textarea'
          ? unescaped(inner)
          : own;
    const known = controls.get(name);
    controls.set(name, {
      name,
      type,
      value: [known?.value, value].filter(Boolean).join('+'),
      choices: isBox
        ? [...(known?.choices ?? []), own]
        : options.map((option) => attribute(option, 'value') ?? ''),
      maxlength: attribute(head, 'maxlength'),
      required: / required/.test(head),
    });
  }
  return [...controls.values()];
}

/** What a refused form says: its notices, then each fault with the id of its field. */
export function wordsIn(html: string): string[] {
  const main = mainOf(html);
  const notices = [...main.matchAll(/<p class="notice-title">(.*?)<\/p>/gs)].map(
    ([, text = '']) => `notice: ${plain(text)}`,
  );
  const summary = /aria-labelledby="faults".*?<\/section>/s.exec(main)?.[0] ?? '';
  const atFields = [...main.matchAll(/<p class="fault"[^>]*>(.*?)<\/p>/gs)].map(([, text = '']) =>
    plain(text),
  );
  const faults = [...summary.matchAll(/<a href="#([^"]*)">(.*?)<\/a>/gs)].map(
    ([, id = '', text = '']) => {
      const [, label = ''] = /^<b>(.*?): <\/b>/.exec(text) ?? [];
      const fault = plain(text.replace(/^<b>.*?<\/b>/, ''));
      const place = atFields.includes(fault) ? '' : ' (not at a field)';
      return `${id}: ${fault}${label && ` (of ${plain(label)})`}${place}`;
    },
  );
  const others = atFields.filter((fault) => !faults.some((one) => one.includes(fault)));
  return [...notices, ...faults, ...others.map((fault) => `not in the summary: ${fault}`)];
}

function mainOf(html: string): string {
  return /<main[^>]*>(.*)<\/main>/s.exec(html)?.[1] ?? '';
}

function attribute(of: string, name: string): string | undefined {
  const text = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(of)?.[1];
  return text === undefined ? undefined : unescaped(text);
}

function plain(html: string): string {
  return unescaped(html.replaceAll(/<[^>]*>/g, ''))
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
