import { variables, defaultOf, explainSetting } from '../../src/platform/config/config.js';

/** The table of every setting in docs/operate/configuration.md. */
export function configurationTable(): string {
  return [
    '| Variable | Default | Meaning |',
    '| --- | --- | --- |',
    ...variables.map((it) => `| \`${it.name}\` | ${defaultOf(it)} | ${explainSetting(it)} |`),
  ].join('\n');
}
