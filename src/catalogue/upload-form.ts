import { ANY_TEXT } from '../platform/kernel/text.js';
import { catalogueFileNames, fileInfo } from './content/catalogue-files.js';
import { ANY_FILE } from './upload.js';

/** The parts of the upload form for the API description: the files and the options. */
export const uploadForm = {
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      label: {
        type: 'string',
        maxLength: 120,
        pattern: ANY_TEXT,
        default: 'upload',
        description: 'A name for the version.',
      },
      dryRun: {
        type: 'string',
        enum: ['true', 'false'],
        default: 'false',
        description: '`true`: only reports what would change.',
      },
      then: {
        type: 'string',
        enum: ['stay', 'activate'],
        default: 'stay',
        description: '`stay`: the version stays a draft; `activate`: it goes live now.',
      },
      base: {
        type: 'string',
        pattern: '^(live|[1-9]\\d{0,8})$',
        maxLength: 9,
        description:
          'Takes the files that are missing in the form from the active version (`live`), or from a draft that was prepared from it (its number). Without it, a missing optional file has no rows.',
      },
      accept: {
        type: 'string',
        minLength: 1,
        maxLength: 200,
        pattern: ANY_TEXT,
        description: 'The reason for a change that a guard rail stops.',
      },
      ...Object.fromEntries(
        catalogueFileNames.map((file) => [
          file,
          { type: 'string', format: 'binary', description: fileInfo(file).fileName },
        ]),
      ),
      [ANY_FILE]: {
        type: 'array',
        maxItems: catalogueFileNames.length,
        items: { type: 'string', format: 'binary', maxLength: 2_147_483_647 },
        description: 'One zip with the files, or files that are known by their own names.',
      },
    },
  },
};
