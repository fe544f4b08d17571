export interface Outcome {
  /** The exit code; null after a signal. */
  readonly code: number | null;
  readonly stdout: string;
  /** Without the line that names the database. */
  readonly stderr: string;
  /** The database that a command named on stderr, if any. */
  readonly database: string | null;
}

const DATABASE_LINE = /^Database: (.+)\n/m;

/** The output and exit of a process. */
export function outcome(code: number | null, stdout: string, stderr: string): Outcome {
  const [, database = null] = DATABASE_LINE.exec(stderr) ?? [];
  return { code, stdout, stderr: stderr.replace(DATABASE_LINE, ''), database };
}
