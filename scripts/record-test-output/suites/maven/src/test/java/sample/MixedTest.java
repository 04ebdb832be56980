package sample;

import static org.junit.Assert.assertEquals;

import org.junit.Ignore;
import org.junit.Test;

public class MixedTest {
  @Test public void adds() { assertEquals(2, 1 + 1); }
  @Test public void compares() { assertEquals("with a note", 1, 2); }
  @Ignore("not now") @Test public void ignored() { }
  @Test public void throwsError() { throw new IllegalStateException("boom\nsecond line"); }
  @Test public void prints() { System.out.println("Tests run: 9, Failures: 0, Errors: 0, Skipped: 0"); }
}
