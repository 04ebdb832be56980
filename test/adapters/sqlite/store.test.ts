import { describeStore } from '../../contract/store.suite.ts';
import { sqliteFixture } from './sqlite-fixture.ts';

describeStore('sqlite store', sqliteFixture);
