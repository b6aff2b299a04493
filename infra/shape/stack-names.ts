import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { parseStackConfig } from '../../tables/model/stack/stack-config.ts';
import type { Table } from '../../tables/model/table.ts';
import { namesOf, type ReleasedNames } from './name-changes.ts';

/** The names of every stack that has a file in the folder; those of short-lived stacks are nobody's to keep. */
export function stackNames(folder: URL, catalogue: readonly Table[]): ReleasedNames {
  const stacks = readdirSync(folder).flatMap((file) => /^Pulumi\.([\w-]+)\.yaml$/.exec(file)?.[1] ?? []);
  const named = stacks.toSorted().flatMap((stack) => {
    const text = readFileSync(new URL(`Pulumi.${stack}.yaml`, folder), 'utf8');
    const { config = {} } = (parse(text) ?? {}) as { readonly config?: Readonly<Record<string, unknown>> };
    const settings = parseStackConfig(stack, config, catalogue);
    return settings.ephemeral ? [] : [[stack, namesOf(settings, catalogue)] as const];
  });
  return Object.fromEntries(named);
}
