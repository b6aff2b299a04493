import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { parseStackConfig, type StackConfig } from '../../../tables/model/stack/stack-config.ts';
import { tables } from '../../support/project.ts';

export type Settings = Readonly<Record<string, unknown>>;

/** The `config:` map of a stack's file in this repository. */
export function stackFile(stack: string): Settings {
  const text = readFileSync(new URL(`../../../Pulumi.${stack}.yaml`, import.meta.url), 'utf8');
  return (parse(text) as { readonly config: Settings }).config;
}

export function configOf(stack: string, changes: Settings = {}): StackConfig {
  return parseStackConfig(stack, { ...stackFile(stack), ...changes }, tables);
}

/** As Pulumi hands a stack file to a program: scalars as text, structured values as JSON. */
export function encodeConfig(settings: Settings): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]),
  );
}
