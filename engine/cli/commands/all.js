// Every command's spec, in the order of the help.

import adopt from './adopt.spec.js';
import adviseIndexes from './advise-indexes.spec.js';
import archive from './archive.spec.js';
import archiveItems from './archive-items.spec.js';
import attach from './attach.spec.js';
import auditScans from './audit-scans.spec.js';
import auditUsage from './audit-usage.spec.js';
import backupCreate from './backup-create.spec.js';
import backupDelete from './backup-delete.spec.js';
import backupList from './backup-list.spec.js';
import bundle from './bundle.spec.js';
import checkIndex from './check-index.spec.js';
import completion from './completion.spec.js';
import consoleSpec from './console.spec.js';
import cutoverApply from './cutover-apply.spec.js';
import cutoverCheck from './cutover-check.spec.js';
import cutoverRevert from './cutover-revert.spec.js';
import cutoverShadow from './cutover-shadow.spec.js';
import cutoverStatus from './cutover-status.spec.js';
import doctor from './doctor.spec.js';
import explain from './explain.spec.js';
import exportTable from './export.spec.js';
import history from './history.spec.js';
import importExport from './import.spec.js';
import init from './init.spec.js';
import maskPlan from './mask-plan.spec.js';
import migrate from './migrate.spec.js';
import migrationNew from './migration-new.spec.js';
import patterns from './patterns.spec.js';
import pause from './pause.spec.js';
import pitrStatus from './pitr-status.spec.js';
import plan from './plan.spec.js';
import preview from './preview.spec.js';
import query from './query.spec.js';
import refresh from './refresh.spec.js';
import repair from './repair.spec.js';
import report from './report.spec.js';
import restore from './restore.spec.js';
import resume from './resume.spec.js';
import retry from './retry.spec.js';
import rollback from './rollback.spec.js';
import seed from './seed.spec.js';
import shapeRelease from './shape-release.spec.js';
import status from './status.spec.js';
import stop from './stop.spec.js';
import subjectErase from './subject-erase.spec.js';
import subjectShow from './subject-show.spec.js';
import tableFromAws from './table-from-aws.spec.js';
import tableNew from './table-new.spec.js';
import tables from './tables.spec.js';
import unlock from './unlock.spec.js';
import up from './up.spec.js';
import verify from './verify.spec.js';

/** @type {readonly import('../spec/command-spec.ts').CommandSpec[]} */
export const commands = [
  init,
  up,
  tables,
  patterns,
  query,
  explain,
  consoleSpec,
  cutoverStatus,
  cutoverCheck,
  cutoverApply,
  cutoverRevert,
  cutoverShadow,
  seed,
  status,
  plan,
  migrate,
  verify,
  rollback,
  retry,
  repair,
  history,
  report,
  attach,
  stop,
  pause,
  resume,
  unlock,
  migrationNew,
  tableNew,
  tableFromAws,
  exportTable,
  importExport,
  maskPlan,
  refresh,
  subjectShow,
  subjectErase,
  archive,
  archiveItems,
  backupCreate,
  backupList,
  backupDelete,
  restore,
  pitrStatus,
  auditScans,
  auditUsage,
  doctor,
  checkIndex,
  adviseIndexes,
  adopt,
  preview,
  bundle,
  completion,
  shapeRelease,
];

/** What the words that only lead to further commands stand for. @type {Readonly<Record<string, string>>} */
export const groups = {
  advise: 'what could be simpler or cheaper',
  audit: 'find Scans in source code, and patterns and indexes that nothing uses',
  backup: 'on-demand backups of a table',
  check: 'look at records before something is deployed',
  cutover: 'move reads from Scan to Query, proven pattern by pattern',
  mask: 'masks that make production data fit for tests',
  migration: 'make a new migration',
  table: 'make a first definition of a table',
  pitr: 'point-in-time recovery of the tables',
  shape: 'what of the tables was deployed, so that a change that loses data is seen',
  subject: 'all records of one person, over all tables',
};
