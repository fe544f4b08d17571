import { readFileSync } from 'node:fs';
import type { EmailItem, EmailPart, EmailValue } from './email.js';

export type EmailRow = readonly [label: string, value: string];

/** Words, a condition, rows of a table, items of a list, or what is written for each of several things. */
export type EmailFact =
  EmailValue | boolean | null | readonly EmailRow[] | readonly EmailItem[] | readonly EmailFacts[];

/** By name. */
export interface EmailFacts {
  readonly [name: string]: EmailFact;
}

/** The file with the words of a kind of email. @param module `import.meta.url` of the module beside it */
export function readWords(code: string, module: string): string {
  return readFileSync(new URL(`emails/${code}.md`, module), 'utf8');
}

/**
 * Puts facts into the words of an email, which are Markdown: a subject, then paragraphs, tables (lists of
 * `- Label: {fact}`) and lists with a heading. A line that names a fact which is null is left out, and so is a part
 * without lines. `docs/develop/recipes.md` has the rest.
 * @param shared facts that an email need not name
 * @throws {Error} where the words name no fact, or do not name one
 */
export function writeWords(
  words: string,
  facts: EmailFacts,
  shared: EmailFacts,
): { readonly subject: string; readonly parts: readonly EmailPart[] } {
  const all = new NamedFacts(facts, shared);
  const [subject = '', ...blocks] = words
    .replaceAll(HEAD, '$1\n')
    .trim()
    .split(/\n{2,}/);
  const parts = blocks.flatMap((block) => {
    const [, list, repeated = ''] = FOR_EACH.exec(block) ?? [];
    if (list === undefined) return partOf(block, all);
    return all.list<EmailFacts>(list).flatMap((one) => {
      const each = new NamedFacts(one, shared);
      const part = partOf(repeated, each);
      each.requireNamed();
      return part;
    });
  });
  const written = { subject: all.fill(subject.replace('# ', '')) ?? '', parts };
  all.requireNamed();
  return written;
}

/** A line that belongs to the next block. */
const HEAD = /^((?:## |\{for each ).*)\n+/gm;
const FOR_EACH = /^\{for each (\w+)\}\n([^]*)$/;
const CONDITION = /^\{(if|unless) (\w+)\} /;

function partOf(block: string, facts: NamedFacts): EmailPart | [] {
  const lines = block.split('\n');
  const first = lines[0]!;
  if (first.startsWith('## ')) {
    const items = lines.slice(1).flatMap((line) => facts.list<EmailItem>(line.slice(3, -1)));
    return items.length > 0 ? { heading: facts.fill(first.slice(3)) ?? '', items } : [];
  }
  if (first.startsWith('- ')) {
    const rows = lines.flatMap((line) => rowsOf(line.slice(2), facts));
    return rows.length > 0 ? { facts: rows } : [];
  }
  const sentences = lines.map((line) => facts.fill(line)).filter((line) => line !== null);
  return sentences.length > 0 ? { paragraph: sentences.join(' ') } : [];
}

function rowsOf(line: string, facts: NamedFacts): (readonly [string, EmailValue])[] {
  const [, label, text = line] = /^([^{]+): (.*)$/.exec(line) ?? [];
  const name = /^\{(\w+)\}$/.exec(text)?.[1];
  if (label === undefined) return [...facts.list<EmailRow>(name ?? line)];
  const link = /^<(.*)>$/.exec(text)?.[1];
  const value = name === undefined ? facts.fill(link ?? text) : (facts.get(name) as EmailValue);
  if (value === null) return [];
  return [[label, link === undefined ? value : { link: value as string }]];
}

/** Facts, and which of them the words have named. */
class NamedFacts {
  private readonly named = new Set<string>();

  constructor(
    private readonly facts: EmailFacts,
    private readonly shared: EmailFacts,
  ) {}

  get(name: string): EmailFact {
    this.named.add(name);
    const fact = name in this.facts ? this.facts[name] : this.shared[name];
    if (fact !== undefined) return fact;
    throw new Error(`The words of an email name ${name}, which is not one of its facts.`);
  }

  list<T extends EmailRow | EmailItem | EmailFacts>(name: string): readonly T[] {
    return this.get(name) as readonly T[];
  }

  /** Null where a condition or a fact leaves the line out. */
  fill(line: string): string | null {
    const condition = CONDITION.exec(line);
    if (condition) {
      const [all, word, name] = condition;
      const text = this.fill(line.slice(all.length));
      const fact = this.get(name!);
      return (fact !== null && fact !== false) === (word === 'if') ? text : null;
    }
    let isLeftOut = false;
    const text = line.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
      const fact = this.get(name);
      if (fact === null) isLeftOut = true;
      else if (typeof fact !== 'string') throw new Error(`The fact ${name} is no text.`);
      return fact ?? '';
    });
    return isLeftOut ? null : text;
  }

  requireNamed(): void {
    const forgotten = Object.keys(this.facts).filter((name) => !this.named.has(name));
    if (forgotten.length === 0) return;
    throw new Error(`The words of an email do not name ${forgotten.join(', ')}.`);
  }
}
