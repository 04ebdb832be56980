import { describeTaskCascades } from '../../contract/task-cascades.suite.ts';
import { describeTaskClaims } from '../../contract/task-claims.suite.ts';
import { describeTasks } from '../../contract/tasks.suite.ts';
import { sqliteFixture } from './sqlite-fixture.ts';

describeTasks('sqlite tasks', sqliteFixture);
describeTaskCascades('sqlite tasks', sqliteFixture);
describeTaskClaims('sqlite tasks', sqliteFixture);
