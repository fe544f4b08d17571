export interface Outcome {
  /** The exit code; null where a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  /** Without the line that names the database. */
  readonly stderr: string;
  /** The database that a command named on stderr; null where it named none. */
  readonly database: string | null;
}

const DATABASE_LINE = /^Database: (.+)\n/m;

/** What a process wrote and how it ended. */
export function outcome(code: number | null, stdout: string, stderr: string): Outcome {
  const [, database = null] = DATABASE_LINE.exec(stderr) ?? [];
  return { code, stdout, stderr: stderr.replace(DATABASE_LINE, ''), database };
}
