import { deployTables } from 'tablewright/pulumi';
import project from '../tablewright.config.ts';

export default deployTables(project);
