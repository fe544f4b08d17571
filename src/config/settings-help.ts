import { variables } from './config.js';
import type { Setting } from './setting.js';

/** What a reader needs to know about a setting, apart from its name and default. */
export function explainSetting({
  name,
  meaning,
  allowed,
  secret,
  demoOnly,
}: Setting<unknown>): string {
  return [
    meaning,
    `Allowed: ${allowed}.`,
    ...(secret ? [`Secret: also as a file, in \`${name}_FILE\`.`] : []),
    ...(demoOnly ? ['Must be set in production.'] : []),
  ].join(' ');
}

/** The default as a reader writes it; an empty text where there is none. */
export function defaultOf({ default: usual, defaultInProduction }: Setting<unknown>): string {
  if (usual === '') return '';
  return defaultInProduction
    ? `\`${usual}\`; \`${defaultInProduction}\` in production`
    : `\`${usual}\``;
}

/** Every setting, for a terminal. */
export function settingsHelp(): string {
  const entries = variables.map((setting) => {
    const usual = defaultOf(setting).replaceAll('`', '');
    return `${setting.name}${usual && ` (default: ${usual})`}\n    ${explainSetting(setting)}\n`;
  });
  return `The settings, from the environment:\n\n${entries.join('\n')}`;
}
