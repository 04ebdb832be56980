package sample;

import org.junit.BeforeClass;
import org.junit.Test;

public class BrokenTest {
  @BeforeClass public static void open() { throw new IllegalStateException("setup broke"); }
  @Test public void one() { }
  @Test public void two() { }
}
