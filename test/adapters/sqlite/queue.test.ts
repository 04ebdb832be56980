import { describeQueue } from '../../contract/queue.suite.ts';
import { sqliteFixture } from './sqlite-fixture.ts';

describeQueue('sqlite queue', sqliteFixture);
