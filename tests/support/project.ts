import { catalogueOf } from '../../tables/model/project.ts';
import type { Table } from '../../tables/model/table.ts';
import project from '../../tablewright.config.ts';

/** This repository's own project. */
export { project };

/** With what a copy of this repository may have added: commands work on all of it. */
export const wholeCatalogue = catalogueOf(project);
const isOwn = ({ system }: Table): boolean => system === 'tablewright' || project.systems.includes(system);

/** The tables of the four systems and the ledger, which the tests are about. */
export const tables = wholeCatalogue.filter(isOwn);

/** What a stack's file says to have no others, where there are any. */
export const ownSystems: Readonly<Record<string, unknown>> =
  tables.length === wholeCatalogue.length ? {} : { 'tablewright:systems': project.systems };
