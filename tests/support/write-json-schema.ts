import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { schemaText, withTable } from './json-docs.ts';
import { repository } from './run-cli.ts';

const page = join(repository, 'docs/json.md');
await writeFile(join(repository, 'docs/json.schema.json'), schemaText());
await writeFile(page, withTable(await readFile(page, 'utf8')));
