import { catalogueOf } from '../../tables/model/project.ts';
import project from '../../tablewright.config.ts';

/** This repository's own project, and its catalogue with the toolkit's ledger. */
export { project };
export const tables = catalogueOf(project);
